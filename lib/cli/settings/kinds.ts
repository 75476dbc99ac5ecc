/** What values a setting takes. */
export interface Kind<T> {
  /** The values in words: `a whole number from 0 to 65535`. */
  readonly meaning: string;
  /** Says whether a value is one of them. */
  readonly accepts: (value: unknown) => value is T;
  /** Reads the text of an environment variable; what it gives is checked by `accepts`. */
  readonly read: (text: string) => unknown;
}

/** Any text but a blank one. */
export function text(meaning: string): Kind<string> {
  return {
    meaning,
    accepts: (value): value is string =>
      typeof value === "string" && value.trim() !== "",
    read: (text) => text,
  };
}

/** A number in a range. */
export function number(
  { min, max, isWhole }: {
    readonly min: number;
    readonly max: number;
    readonly isWhole: boolean;
  },
): Kind<number> {
  return {
    meaning: `a ${isWhole ? "whole " : ""}number from ${min} to ${max}`,
    accepts: (value): value is number =>
      typeof value === "number" && value >= min && value <= max &&
      (!isWhole || Number.isInteger(value)),
    read: (text) => Number(text),
  };
}

const BYTE_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

/** Reads a size: bytes, or a number with a unit, such as `100MB` or `64 MiB`; `NaN` if it is none. */
export function toBytes(text: string): number {
  const [, number, unit = "b"] =
    /^(\d+(?:\.\d+)?) ?([a-z]+)?$/i.exec(text.trim()) ?? [];
  const bytes = Number(number) * (BYTE_UNITS[unit.toLowerCase()] ?? NaN);
  // 8.2 MB are a whole number of bytes, which the product misses by a hair.
  return Number(bytes.toPrecision(15));
}

/** A size in a range, in bytes. */
export function bytes(
  range: { readonly min: number; readonly max: number },
): Kind<number> {
  const whole = number({ ...range, isWhole: true });
  return {
    meaning:
      `${whole.meaning}, in bytes; as option or variable 100MB or 64MiB too`,
    accepts: whole.accepts,
    read: toBytes,
  };
}

/** One of some words. */
export function choice<T extends string>(words: readonly T[]): Kind<T> {
  return {
    meaning: `one of ${words.join(", ")}`,
    accepts: (value): value is T => words.some((word) => word === value),
    read: (text) => text.toLowerCase(),
  };
}

/** Yes or no. */
export function flag(): Kind<boolean> {
  return {
    meaning: "true or false",
    accepts: (value) => typeof value === "boolean",
    read: (text) =>
      /^(true|1|yes|on)$/i.test(text)
        ? true
        : /^(false|0|no|off)$/i.test(text)
        ? false
        : text,
  };
}

/** Texts; in the environment separated by commas. */
export function list(meaning: string): Kind<readonly string[]> {
  return {
    meaning: `a list of ${meaning}`,
    accepts: (value): value is string[] =>
      Array.isArray(value) &&
      value.every((part) => typeof part === "string" && part.trim() !== ""),
    read: (text) =>
      text.split(",").map((part) => part.trim()).filter((part) => part !== ""),
  };
}
