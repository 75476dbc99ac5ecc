/** What one check of `kbdb doctor` found. */
export interface Finding {
  /** What was looked at. */
  readonly name: string;
  /** `warn`: it works, and may not for long, or not safely. */
  readonly state: "ok" | "warn" | "fail";
  /** What is so. */
  readonly message: string;
  /** What to do; absent if all is well. */
  readonly action?: string;
}

/** A finding that all is well. */
export function ok(name: string, message: string): Finding {
  return { name, state: "ok", message };
}

/** A finding that something should be done. */
export function warn(name: string, message: string, action: string): Finding {
  return { name, state: "warn", message, action };
}

/** A finding that something does not work. */
export function fail(name: string, message: string, action: string): Finding {
  return { name, state: "fail", message, action };
}

/** What an error says. */
export function toText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
