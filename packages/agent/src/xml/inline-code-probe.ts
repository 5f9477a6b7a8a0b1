/**
 * @fileoverview Decides if a tool call is part of inline code that started on an earlier line. Only the text after the
 * call shows that, so the call is held back until the inline code or the paragraph ends.
 * @module agent/xml/inline-code-probe
 */
import { isBlank } from "./entities.js";
import type { MarkdownState } from "./markdown-state.js";

/** Outcome of a probe. `none` means that the text is not the tag of a tool. */
export type ProbeOutcome = "open" | "code" | "call" | "none";

/** Probe for one call. Starts at the `<` of the call's opening tag. */
export class InlineCodeProbe {
  readonly #markdown: MarkdownState;
  readonly #openSpans: number;
  readonly #paragraphs: number;
  readonly #isTool: (name: string) => boolean;
  #held = "";
  #tool: string | undefined;
  #isInOpeningTag = true;
  /** True after the end of the call. Only backticks after it can end the inline code. */
  #isAfterCall = false;
  #isLineBlank = false;
  #outcome: ProbeOutcome = "open";

  constructor(markdown: MarkdownState, isTool: (name: string) => boolean) {
    this.#markdown = markdown.copy();
    // The copy skips the call. One character is enough to show that the line is not blank.
    this.#markdown.next(LESS);
    this.#openSpans = markdown.openSpans;
    this.#paragraphs = markdown.paragraphs;
    this.#isTool = isTool;
  }

  get outcome(): ProbeOutcome {
    return this.#outcome;
  }

  /** Text that the probe has read. */
  get held(): string {
    return this.#held;
  }

  /** Markdown state after inline code. */
  get markdown(): MarkdownState {
    return this.#markdown;
  }

  /** Reads the next character. */
  next(char: string): void {
    this.#held += char;
    const code = char.charCodeAt(0);
    if (char === "\n" && this.#isLineBlank) this.#outcome = "call";
    else if (this.#tool === undefined) this.#findTool();
    else if (this.#isAfterCall) this.#readAfterCall(code);
    else if (char === ">") this.#endTag(this.#tool);
    this.#isLineBlank = char === "\n" || (this.#isLineBlank && isBlank(code));
  }

  /** Ends the text. */
  finish(): void {
    this.#markdown.endRun();
    this.#outcome = this.#markdown.openSpans < this.#openSpans ? "code" : "call";
  }

  #findTool(): void {
    if (PART_OF_NAME.test(this.#held)) return;
    const [, name = ""] = NAME.exec(this.#held) ?? [];
    if (!this.#isTool(name)) this.#outcome = "none";
    else {
      this.#tool = name;
      if (this.#held.endsWith(">")) this.#endTag(name);
    }
  }

  #endTag(name: string): void {
    const tail = this.#held.slice(-name.length - MAX_LAYOUT).replace(/[ \t\r\n]/g, "");
    this.#isAfterCall = this.#isInOpeningTag ? tail.endsWith("/>") : tail.endsWith(`</${name}>`);
    this.#isInOpeningTag = false;
  }

  #readAfterCall(code: number): void {
    this.#markdown.next(code);
    if (this.#markdown.paragraphs > this.#paragraphs) this.#outcome = "call";
    else if (this.#markdown.openSpans < this.#openSpans) this.#outcome = "code";
  }
}

const LESS = 0x3c;
const MAX_LAYOUT = 20;
const PART_OF_NAME = /^<[\w.-]{0,128}$/;
const NAME = /^<([A-Za-z_][\w.-]{0,127})[ \t\r\n/>]$/;
