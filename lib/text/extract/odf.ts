import { htmlToSections } from "./html_builder.ts";
import { OdfStyles } from "./odf_styles.ts";
import { OdfWriter } from "./odf_writer.ts";
import { type OfficeFacts, readFacts } from "./office_facts.ts";
import { Package } from "./package.ts";
import { sheetsToDocument } from "./sheets.ts";
import { readOdsSheets } from "./ods_sheets.ts";
import { type Slide, slidesToDocument } from "./slides.ts";
import { type Extracted, ExtractError, type ExtractInput } from "./types.ts";
import {
  childrenOf,
  descendantsOf,
  findPath,
  type XmlElement,
} from "./xml_tree.ts";

const CONTENT = "content.xml";

/** Opens the file; what is locked says so in its manifest. */
function openOdf({ bytes, limits }: ExtractInput): Package {
  const parts = new Package(bytes, limits);
  const manifest = parts.findXml("META-INF/manifest.xml");
  if (manifest === undefined) return parts;
  for (const _ of descendantsOf(manifest, "encryption-data")) {
    throw new ExtractError(
      "password_required",
      "The file opens only with a password; add a copy without one.",
    );
  }
  return parts;
}

function readStyles(parts: Package, content: XmlElement): OdfStyles {
  return new OdfStyles([parts.findXml("styles.xml"), content]);
}

function readMeta(parts: Package): OfficeFacts {
  return readFacts(findPath(parts.findXml("meta.xml"), "meta"));
}

/** Extracts an OpenDocument text by its headings, with lists, tables, links and notes. */
export function extractOdt(input: ExtractInput): Promise<Extracted> {
  const parts = openOdf(input);
  const content = parts.getXml(CONTENT);
  const body = findPath(content, "body", "text");
  const html = body === undefined
    ? ""
    : new OdfWriter(readStyles(parts, content)).write(body);
  const { title, sections } = htmlToSections(html, {
    depth: input.limits.depth,
  });
  const facts = readMeta(parts);
  return Promise.resolve({
    ...facts,
    title: facts.title ?? title,
    docType: "document",
    tags: [],
    sections,
    warnings: [],
  });
}

/** Extracts an OpenDocument presentation: each slide as a page, by its title, with its notes. */
export function extractOdp(input: ExtractInput): Promise<Extracted> {
  const parts = openOdf(input);
  const content = parts.getXml(CONTENT);
  const body = findPath(content, "body", "presentation");
  const styles = readStyles(parts, content);
  const pages = body === undefined ? [] : childrenOf(body, "page");
  return Promise.resolve(
    slidesToDocument(
      pages.map((page) => readSlide(page, styles)),
      readMeta(parts),
      input.limits,
    ),
  );
}

function readSlide(page: XmlElement, styles: OdfStyles): Slide {
  const writer = new OdfWriter(styles);
  const notes = findPath(page, "notes");
  return {
    html: writer.write(page),
    notes: notes === undefined ? [] : [writer.write(notes)],
  };
}

/** Extracts an OpenDocument spreadsheet: each sheet as a page, its rows as a table that repeats its header. */
export function extractOds(input: ExtractInput): Promise<Extracted> {
  const parts = openOdf(input);
  const facts = readMeta(parts);
  const { depth } = input.limits;
  return Promise.resolve(
    sheetsToDocument(
      readOdsSheets(parts.getText(CONTENT), depth),
      facts,
      input.limits,
    ),
  );
}
