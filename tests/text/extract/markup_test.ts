import assert from "node:assert/strict";
import { extractText, testFixtures } from "../../helpers/extract_fixtures.ts";

for (const type of ["rst", "asciidoc", "org", "latex"]) testFixtures(type);

Deno.test("extract() takes the plain words of a LaTeX title that has two, and those of its links", async () => {
  const { sections } = await extractText(
    "\\documentclass{article}\n\\section{\\texorpdfstring{Advantages of\n\\texttt{isize\\_t}}{Advantages of isize\\_t}}\\label{a}\n\nOne.\n\n\\section{See \\href{https://example.org/a}{the \\emph{book}} too}\n\nTwo.\n\n\\section{\\texorpdfstring{Broken}}\n\nThree.\n",
    "a.tex",
  );
  assert.deepEqual(sections.flatMap(({ title }) => title ?? []), [
    "Advantages of isize_t",
    "See the book too",
    "Broken",
  ]);
});
