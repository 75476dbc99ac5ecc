/** A file for each reader with parts of its own in what is installed, and a search by words that finds what is in it. */
export const READER_SAMPLES:
  readonly (readonly [file: string, query: string, place: RegExp])[] = [
    [
      "pdf/outline.pdf",
      "turbines sea floor",
      /outline\.pdf p\. \d+ .*Turbines/,
    ],
    ["docx/bees.docx", "forty thousand bees", /bees\.docx:\d+ .*Hives/],
    ["code/store.tsx", "expect App", /store\.tsx:6 .*App/],
  ];
