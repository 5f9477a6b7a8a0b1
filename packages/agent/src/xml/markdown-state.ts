/**
 * @fileoverview Tracks Markdown code in streamed text: fenced blocks, and inline code that continues on the next line.
 * Tool calls do not count in either.
 * @module agent/xml/markdown-state
 */
import { isBlank } from "./entities.js";

interface Fence {
  /** Character code of the fence: a backtick or a tilde. */
  readonly mark: number;
  readonly length: number;
  readonly column: number;
  /** True if the fence is in a block quote. Such a fence ends with the quote. */
  readonly isQuoted: boolean;
}

/** A series of backticks or tildes that may continue. */
interface Run {
  readonly mark: number;
  readonly column: number;
  /** Text before the run if it can precede a fence: whitespace, list markers, and quote markers. */
  readonly lead: string | undefined;
  length: number;
}

/** Markdown state at one position of a text. Each character is read once. */
export class MarkdownState {
  #fence: Fence | undefined;
  /** Fence that the current line opens. A backtick in the rest of the line makes it inline code. */
  #opening: Fence | undefined;
  /** True if the current line closes the fence, unless more text follows. */
  #isClosing = false;
  #run: Run | undefined;
  /** Line so far, if it can precede a fence. */
  #lead: string | undefined = "";
  #isLineBlank = true;
  #isHeading = false;
  #column = 0;
  #isEscaped = false;
  /** Lengths of the backtick runs in the paragraph that may open inline code. */
  #spans: readonly number[] = [];
  #paragraphs = 0;

  /** True at the start of a line, after optional whitespace, and outside a fenced block. */
  get canStartCall(): boolean {
    return this.#isLineBlank && this.#fence?.isQuoted !== false;
  }

  /** Number of backtick runs in the paragraph that may open inline code. */
  get openSpans(): number {
    return this.#spans.length;
  }

  /** Number of paragraphs that have ended. Inline code ends with its paragraph. */
  get paragraphs(): number {
    return this.#paragraphs;
  }

  /** Returns an independent copy. */
  copy(): MarkdownState {
    const copy = new MarkdownState();
    copy.#fence = this.#fence;
    copy.#opening = this.#opening;
    copy.#isClosing = this.#isClosing;
    copy.#run = this.#run && { ...this.#run };
    copy.#lead = this.#lead;
    copy.#isLineBlank = this.#isLineBlank;
    copy.#isHeading = this.#isHeading;
    copy.#column = this.#column;
    copy.#isEscaped = this.#isEscaped;
    copy.#spans = this.#spans;
    copy.#paragraphs = this.#paragraphs;
    return copy;
  }

  /** Reads the next character. */
  next(code: number): void {
    if (this.#run?.mark === code) {
      this.#run.length++;
      this.#column++;
      return;
    }
    this.endRun();
    if (code === NEWLINE) return this.#endLine();
    // In inline code, a backslash is literal.
    const isEscaped = this.#isEscaped && this.#spans.length === 0;
    this.#isEscaped = code === BACKSLASH && !this.#isEscaped;
    if ((code === BACKTICK || code === TILDE) && !isEscaped) this.#startRun(code);
    else if (isBlank(code)) this.#addToLead(code);
    else this.#addVisible(code);
    this.#column += code === TAB ? TAB_WIDTH : 1;
  }

  /** Ends a run of backticks or tildes at the end of the text. */
  endRun(): void {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    if (this.#fence !== undefined) {
      this.#isClosing = closes(run, this.#fence);
      return;
    }
    const { mark, length, lead, column } = run;
    if (lead !== undefined && length >= MIN_FENCE && LEAD.test(lead)) {
      this.#opening = { mark, length, column, isQuoted: lead.includes(">") };
    } else if (mark === BACKTICK && this.#opening?.mark === BACKTICK) {
      this.#opening = undefined;
    }
    if (mark === BACKTICK) this.#noteSpan(length);
  }

  /** Ends the paragraph. Runs of backticks that nothing has closed are not inline code. */
  endParagraph(): void {
    this.#spans = [];
    this.#paragraphs++;
  }

  /** Continues after a tool call. Another call may follow on the same line. */
  skipCall(): void {
    this.#leaveQuote();
    this.#startLine();
    this.endParagraph();
  }

  #startRun(mark: number): void {
    this.#leaveQuote();
    this.#run = { mark, length: 1, column: this.#column, lead: this.#lead };
    this.#isLineBlank = false;
    this.#lead = undefined;
  }

  #addVisible(code: number): void {
    if (code !== QUOTE) this.#leaveQuote();
    this.#isClosing = false;
    if (this.#isLineBlank && code === HASH) this.#isHeading = true;
    this.#isLineBlank = false;
    this.#addToLead(code);
  }

  /** Ends a fenced block in a quote if the line does not start with a quote marker. */
  #leaveQuote(): void {
    if (this.#isLineBlank && this.#fence?.isQuoted === true) this.#fence = undefined;
  }

  #addToLead(code: number): void {
    if (this.#lead === undefined) return;
    const char = String.fromCharCode(code);
    this.#lead = LEAD_PART.test(char) && this.#lead.length < MAX_LEAD ? this.#lead + char : undefined;
  }

  /** Notes a run of backticks. A run with the same length as an open run closes it, including all runs in between. */
  #noteSpan(length: number): void {
    const at = this.#spans.indexOf(length);
    if (at !== -1) this.#spans = this.#spans.slice(0, at);
    else if (this.#spans.length < MAX_SPANS) this.#spans = [...this.#spans, length];
  }

  #endLine(): void {
    if (this.#fence !== undefined) {
      if (this.#isClosing) this.#fence = undefined;
    } else if (this.#opening !== undefined) {
      this.#fence = this.#opening;
      this.endParagraph();
    } else if (this.#isLineBlank || this.#isHeading) {
      this.endParagraph();
    }
    this.#startLine();
  }

  #startLine(): void {
    this.#opening = undefined;
    this.#isClosing = false;
    this.#lead = "";
    this.#isLineBlank = true;
    this.#isHeading = false;
    this.#column = 0;
    this.#isEscaped = false;
  }
}

const NEWLINE = 0x0a;
const TAB = 0x09;
const BACKTICK = 0x60;
const TILDE = 0x7e;
const BACKSLASH = 0x5c;
const QUOTE = 0x3e;
const HASH = 0x23;
const TAB_WIDTH = 4;
const MIN_FENCE = 3;
/** A closing fence may be indented by up to three more columns than its opening fence. */
const MAX_INDENT = 3;
const MAX_LEAD = 200;
/** Maximum number of open runs with different lengths. Real text has at most two or three. */
const MAX_SPANS = 32;
const LEAD_PART = /[ \t\r\d.)>*+-]/;
const LEAD = /^[ \t\r]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]*)*$/;
const CLOSING_LEAD = /^[ \t\r>]*$/;

function closes({ mark, length, lead, column }: Run, fence: Fence): boolean {
  return (
    mark === fence.mark &&
    length >= fence.length &&
    column <= fence.column + MAX_INDENT &&
    lead !== undefined &&
    CLOSING_LEAD.test(lead)
  );
}
