/**
 * @fileoverview Parses untrusted Markdown. The text, its paragraphs, its nesting, and the time are limited, because the
 * parser takes quadratic time for some texts.
 * @module ui/markdown/parse
 */
import { Lexer, type Token } from "marked";
import { formatCount } from "../support/format.js";
import type { MarkdownDocument } from "./markdown-node.js";
import { TimedTokenizer, TimeLimitError } from "./timed-tokenizer.js";
import { NodeConverter } from "./to-nodes.js";

/** Characters that are parsed at most. */
export const MAX_LENGTH = 100_000;
/** Characters of one paragraph, heading, or cell that are parsed at most. Longer ones are plain text. */
const MAX_INLINE = 5_000;
const MAX_DEPTH = 16;
const MAX_NODES = 10_000;
const MAX_MILLISECONDS = 500;

/** Matches a line with too many markers of quotes and lists, such as `> > - `. Each of them would be one level of nesting. */
const NESTED = /^(?:[ \t]{0,20}(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){13}/m;

/** Matches the start of a task. The parser compares each task of a list with every other one, and cannot be stopped. */
const TASK = /\[[ xX]\][ \t]/g;
const MAX_TASKS = 2_000;

const NOTES = {
  length: `The text is cut (limit: ${formatCount(MAX_LENGTH)} characters).`,
  nodes: `The text is cut (limit: ${formatCount(MAX_NODES)} elements).`,
  depth: "Some parts nest too deeply. They are shown without formatting.",
  paragraph: "Some paragraphs are too long. They are shown without formatting.",
  markers: "The text nests too deeply. It is shown without formatting.",
  time: "The text takes too long to parse. It is shown without formatting.",
  failure: "The text could not be parsed. It is shown without formatting.",
};

/** Options of `parseMarkdown`. */
export interface ParseOptions {
  /** Clock in milliseconds. @default performance.now */
  readonly now?: (() => number) | undefined;
}

/** Parses Markdown. Never throws: a text that cannot be parsed is shown as plain text, with a note. */
export function parseMarkdown(source: string, options: ParseOptions = {}): MarkdownDocument {
  const isCut = source.length > MAX_LENGTH;
  const text = isCut ? cutAtLine(source) : source;
  if (NESTED.test(text)) return asPlainText(text, NOTES.markers);
  if ((text.match(TASK)?.length ?? 0) > MAX_TASKS) return asPlainText(text, NOTES.time);
  try {
    const { tokens, limit } = lex(text, options.now ?? (() => performance.now()));
    const converter = new NodeConverter({ maxDepth: MAX_DEPTH, maxNodes: MAX_NODES });
    const blocks = converter.toBlocks(tokens);
    const reached = isCut ? "length" : (converter.reached ?? limit);
    return { blocks, note: reached === undefined ? undefined : NOTES[reached] };
  } catch (error) {
    return asPlainText(text, error instanceof TimeLimitError ? NOTES.time : NOTES.failure);
  }
}

interface LexedText {
  readonly tokens: readonly Token[];
  /** Reason why some paragraphs are plain text. */
  readonly limit: "paragraph" | "time" | undefined;
}

/** Runs the two steps of the lexer: blocks, and then the text of each block. Only the second one can be left out. */
function lex(text: string, now: () => number): LexedText {
  const tokenizer = new TimedTokenizer(MAX_MILLISECONDS, now);
  const lexer = new Lexer({ gfm: true, breaks: false, pedantic: false, silent: false, tokenizer });
  const tokens = lexer.blockTokens(text.replaceAll(/\r\n?/g, "\n"), lexer.tokens);
  let limit: LexedText["limit"];
  for (const part of lexer.inlineQueue) {
    try {
      if (limit !== "time" && part.src.length <= MAX_INLINE) {
        part.tokens.push(...lexer.inlineTokens(part.src));
        continue;
      }
      limit ??= "paragraph";
    } catch (error) {
      // The other failure is a stack overflow, which concerns only this paragraph.
      limit = error instanceof TimeLimitError ? "time" : "paragraph";
    }
    part.tokens.push({ type: "escape", raw: part.src, text: part.src });
  }
  return { tokens, limit };
}

function cutAtLine(source: string): string {
  const end = source.lastIndexOf("\n", MAX_LENGTH);
  return source.slice(0, end > MAX_LENGTH / 2 ? end : MAX_LENGTH);
}

function asPlainText(text: string, note: string): MarkdownDocument {
  return { blocks: [{ type: "code", text, language: "" }], note };
}
