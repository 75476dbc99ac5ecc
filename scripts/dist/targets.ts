/** A platform that executables are built for. */
export interface Target {
  /** As `deno compile --target` takes it. */
  readonly triple: string;
  /** How release files name it. */
  readonly name: string;
}

/** Every platform that executables are built for. */
export const TARGETS: readonly Target[] = [
  { triple: "x86_64-unknown-linux-gnu", name: "linux-x64" },
  { triple: "aarch64-unknown-linux-gnu", name: "linux-arm64" },
  { triple: "x86_64-apple-darwin", name: "macos-x64" },
  { triple: "aarch64-apple-darwin", name: "macos-arm64" },
  { triple: "x86_64-pc-windows-msvc", name: "windows-x64" },
];
