import { testFixtures } from "../../helpers/extract_fixtures.ts";

for (const type of ["rst", "asciidoc", "org", "latex"]) testFixtures(type);
