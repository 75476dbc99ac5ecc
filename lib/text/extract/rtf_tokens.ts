import { RtfStyles } from "./rtf_styles.ts";
import { ExtractError } from "./types.ts";

/** What is told of an RTF document while it is read. */
export interface RtfEvents {
  /** Words of the document. */
  addText(text: string): void;
  /** Words of what it says of itself, e.g. of its `title`. */
  addFact(name: string, text: string): void;
  /** Words of the mark before an item of a list, such as its number. */
  addMark(text: string): void;
  /** A control word of a paragraph or table. */
  control(word: string, value: number | undefined): void;
  /** What follows is a footnote. */
  startNote(): void;
  /** What follows is the text again. */
  endNote(): void;
}

/** What holds in a group, and again after it. */
interface Group {
  /** Whether its words are none of the document. */
  isHidden: boolean;
  /** Whether its words are those of a footnote. */
  isNote: boolean;
  /** Whether its words are the mark of an item. */
  isMark: boolean;
  /** The fact its words are of. */
  fact: string | undefined;
  /** Bytes or characters that stand for a character that was given as a number. */
  skip: number;
  decoder: TextDecoder;
}

/** Groups whose words are none of the document. */
const HIDDEN: ReadonlySet<string> = new Set(
  ("fonttbl colortbl stylesheet info pict object fldinst header headerl headerr headerf footer footerl " +
    "footerr footerf listtable listoverridetable revtbl rsidtbl generator xmlnstbl datastore themedata " +
    "colorschememapping latentstyles filetbl bkmkstart bkmkend nonshppict")
    .split(" "),
);
const FACTS: ReadonlySet<string> = new Set([
  "title",
  "author",
  "subject",
  "keywords",
]);
/** Control words that stand for a character. */
const CHARACTERS: Readonly<Record<string, string>> = {
  tab: " ",
  emdash: "—",
  endash: "–",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
};
/** Fonts' character sets that are not the one of the document. */
const CHARSETS: Readonly<Record<number, string>> = {
  128: "shift_jis",
  129: "euc-kr",
  134: "gb18030",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
};

const TOKEN =
  /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/gy;

/**
 * Reads RTF.
 *
 * @param depth Deepest nesting of groups.
 * @returns Whether every group was closed.
 * @throws {ExtractError} `too_large` if it is nested deeper.
 */
export function readRtf(
  bytes: Uint8Array,
  depth: number,
  events: RtfEvents,
): boolean {
  return new RtfReader(depth, events).read(bytes);
}

/** Reads tokens in turn. */
class RtfReader {
  readonly #depth: number;
  readonly #events: RtfEvents;
  readonly #above: Group[] = [];
  readonly #fonts = new Map<number, TextDecoder>();
  #group: Group = {
    isHidden: false,
    isNote: false,
    isMark: false,
    fact: undefined,
    skip: 1,
    decoder: new TextDecoder("windows-1252"),
  };
  #page = this.#group.decoder;
  #font = 0;
  #isFonts = false;
  readonly #styles = new RtfStyles();
  /** Bytes of characters that are not decoded yet. */
  #bytes: number[] = [];
  #toSkip = 0;
  #isOptional = false;

  constructor(depth: number, events: RtfEvents) {
    this.#depth = depth;
    this.#events = events;
  }

  read(bytes: Uint8Array): boolean {
    const text = new TextDecoder("latin1").decode(bytes);
    let binaryEnd = 0;
    TOKEN.lastIndex = 0;
    for (
      let match = TOKEN.exec(text);
      match !== null;
      match = TOKEN.exec(text)
    ) {
      const [whole, word, value, hex, symbol, brace, plain] = match;
      if (word === "bin") {
        binaryEnd = TOKEN.lastIndex + Math.max(0, Number(value ?? 0));
        TOKEN.lastIndex = Math.min(text.length, binaryEnd);
      } else if (word !== undefined) {
        this.#control(word, value === undefined ? undefined : Number(value));
      } else if (hex !== undefined) this.#addByte(Number.parseInt(hex, 16));
      else if (brace !== undefined) {
        this.#flush();
        if (brace === "{") this.#enter();
        else if (this.#leave()) return true;
      } else if (symbol !== undefined) this.#symbol(symbol);
      else if (plain !== undefined) {
        for (const char of plain) this.#addByte(char.charCodeAt(0));
      }
      if (whole === "") break;
    }
    this.#flush();
    return false;
  }

  #enter(): void {
    if (this.#above.length >= this.#depth) {
      throw new ExtractError(
        "too_large",
        `The file is nested deeper than ${this.#depth} groups.`,
      );
    }
    this.#above.push(this.#group);
    this.#group = { ...this.#group };
    this.#toSkip = 0;
    this.#isOptional = false;
  }

  /** Says whether that was the end of the document. */
  #leave(): boolean {
    const above = this.#above.pop();
    if (above !== undefined) {
      if (this.#group.isNote && !above.isNote) this.#events.endNote();
      this.#group = above;
    }
    this.#styles.leave(this.#above.length);
    if (this.#above.length <= 1) this.#isFonts = false;
    return this.#above.length === 0;
  }

  #symbol(symbol: string): void {
    if (symbol === "*") this.#isOptional = true;
    else if (symbol === "~") this.#addText("\u00a0");
    else if (symbol === "_") this.#addText("-");
    else if (symbol === "\n" || symbol === "\r") this.#end("par", undefined);
    else if (/[\\{}]/.test(symbol)) this.#addByte(symbol.charCodeAt(0));
  }

  #control(word: string, value: number | undefined): void {
    const isOptional = this.#isOptional;
    this.#isOptional = false;
    if (word === "u") return this.#addUnicode(value ?? 0);
    this.#flush();
    this.#toSkip = 0;
    if (word === "stylesheet") this.#styles.open();
    if (this.#styles.control(word, value)) this.#group.isHidden = true;
    else if (word === "uc") {
      this.#group.skip = Math.min(8, Math.max(0, value ?? 1));
    } else if (word === "ansicpg") this.#setPage(`windows-${value ?? 1252}`);
    else if (word === "fonttbl") {
      this.#isFonts = true;
      this.#group.isHidden = true;
    } else if (word === "f") this.#setFont(value ?? 0);
    else if (word === "fcharset" && this.#isFonts) {
      const found = CHARSETS[value ?? 0];
      if (found !== undefined) {
        this.#fonts.set(this.#font, new TextDecoder(found));
      }
    } else if (word === "footnote") this.#startNote();
    else if (word === "listtext" || word === "pntext") {
      this.#group.isMark = true;
    } else if (word === "s") {
      const level = this.#styles.levelOf(value ?? 0);
      if (level !== undefined) this.#end("outlinelevel", level);
    } else if (FACTS.has(word)) this.#group.fact = word;
    else if (HIDDEN.has(word) || isOptional) this.#group.isHidden = true;
    else if (word in CHARACTERS) this.#addText(CHARACTERS[word] ?? "");
    else this.#end(word, value);
  }

  #end(word: string, value: number | undefined): void {
    this.#flush();
    const { isHidden, isMark } = this.#group;
    if (!isHidden && !isMark) this.#events.control(word, value);
  }

  /** A note in a note is a part of it. */
  #startNote(): void {
    if (this.#group.isHidden || this.#group.isNote) return;
    this.#group.isNote = true;
    this.#events.startNote();
  }

  #setPage(name: string): void {
    try {
      this.#page = new TextDecoder(name);
    } catch {
      // A code page without a decoder: what is not ASCII is read as Windows-1252.
    }
    this.#group.decoder = this.#page;
  }

  #setFont(font: number): void {
    this.#font = font;
    if (!this.#isFonts) {
      this.#group.decoder = this.#fonts.get(font) ?? this.#page;
    }
  }

  #addByte(byte: number): void {
    if (this.#toSkip > 0) this.#toSkip--;
    else this.#bytes.push(byte);
  }

  #addUnicode(value: number): void {
    this.#flush();
    this.#addText(String.fromCharCode(value & 0xffff));
    this.#toSkip = this.#group.skip;
  }

  /** Decodes the bytes at hand: a character may be made of two. */
  #flush(): void {
    if (this.#bytes.length === 0) return;
    const text = this.#group.decoder.decode(Uint8Array.from(this.#bytes));
    this.#bytes = [];
    this.#addText(text);
  }

  #addText(text: string): void {
    const { fact, isHidden, isMark } = this.#group;
    if (this.#bytes.length > 0) this.#flush();
    if (this.#styles.addText(text)) return;
    if (fact !== undefined) this.#events.addFact(fact, text);
    else if (isMark && !isHidden) this.#events.addMark(text);
    else if (!isHidden) this.#events.addText(text);
  }
}
