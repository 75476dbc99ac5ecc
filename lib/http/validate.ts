import type { z } from "zod";
import { KbError } from "../core/mod.ts";

/**
 * Checks a value against a schema.
 *
 * @param where Named in the error: `body`, `query`, `form`, `path`.
 * @throws {KbError} `invalid_input` that names each part and what is wrong with it.
 */
export function check<T extends z.ZodType>(
  schema: T,
  value: unknown,
  where: string,
): z.output<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.slice(0, 5).map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`
  );
  throw new KbError(
    "invalid_input",
    `The ${where} is not right: ${problems.join("; ")}`,
    {
      details: { where },
    },
  );
}
