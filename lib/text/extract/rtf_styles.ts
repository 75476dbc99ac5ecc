/** A style of paragraphs while it is read. */
interface Style {
  readonly number: number;
  name: string;
  level?: number;
}

/** Finds the styles of an RTF document that make a paragraph a heading. */
export class RtfStyles {
  readonly #levels = new Map<number, number>();
  #isOpen = false;
  #style: Style | undefined;

  /** The list of styles begins. */
  open(): void {
    this.#isOpen = true;
  }

  /** A group ends; `depth` are those that it was in. */
  leave(depth: number): void {
    if (this.#style !== undefined) this.#close(this.#style);
    this.#style = undefined;
    if (depth <= 1) this.#isOpen = false;
  }

  /** Takes a control word; `false` if it is none of the list. */
  control(word: string, value: number | undefined): boolean {
    if (!this.#isOpen) return false;
    if (word === "s") this.#style = { number: value ?? 0, name: "" };
    else if (word === "outlinelevel" && this.#style !== undefined) {
      this.#style.level = value ?? 0;
    }
    return true;
  }

  /** Takes words; `false` if they are none of the list. */
  addText(text: string): boolean {
    if (!this.#isOpen) return false;
    if (this.#style !== undefined) this.#style.name += text;
    return true;
  }

  /** Level of the headings of a style, from 0; `undefined` if it is none of headings. */
  levelOf(number: number): number | undefined {
    return this.#levels.get(number);
  }

  #close({ number, name, level }: Style): void {
    const named = /^\s*heading ([1-9])\s*;?\s*$/i.exec(name)?.[1];
    const found = level ?? (named === undefined ? 9 : Number(named) - 1);
    if (found < 9) this.#levels.set(number, found);
  }
}
