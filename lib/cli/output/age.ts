const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [365.25 * 86_400, "y"],
  [30.44 * 86_400, "mo"],
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
];

/**
 * Writes how long ago something was: `just now`, `5 min ago`, `3 h ago`, `2 d ago`.
 *
 * @param iso ISO 8601; a text that is none comes back as it is.
 * @param nowMs Current time in milliseconds.
 */
export function formatAge(iso: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(iso)) / 1000;
  if (Number.isNaN(seconds)) return iso;
  if (seconds < -60) return iso;
  const unit = UNITS.find(([size]) => seconds >= size);
  return unit === undefined
    ? "just now"
    : `${Math.floor(seconds / unit[0])} ${unit[1]} ago`;
}
