/**
 * `Deno.test.each()` for Deno versions that lack it: one test a row, `$name` in the title is the row's.
 *
 * @module
 */
/** Puts values of a row into a title. */
function titleOf(
  title: string,
  row: Readonly<Record<string, unknown>>,
): string {
  return title.replace(
    /\$(\w+)/g,
    (whole, name) => Object.hasOwn(row, name) ? String(row[name]) : whole,
  );
}

function each(rows: readonly Record<string, unknown>[]) {
  return (
    title: string,
    body: (row: Record<string, unknown>) => unknown,
  ): void => {
    for (const row of rows) {
      Deno.test(titleOf(title, row), async () => {
        await body(row);
      });
    }
  };
}

if (!("each" in Deno.test)) Object.assign(Deno.test, { each });
