/**
 * @fileoverview Parses the subset of Markdown that models often write: paragraphs, headings, lists, code, and bold
 * text.
 * @module examples/agent/page/blocks
 */

/** @typedef {"paragraph" | "heading" | "bullets" | "numbers" | "code"} BlockKind */
/** @typedef {{ readonly kind: BlockKind, readonly lines: readonly string[] }} Block */
/** @typedef {{ readonly kind: "text" | "code" | "bold", readonly text: string }} Span */

/**
 * Line patterns for each kind of block. The group captures the text.
 *
 * @type {readonly (readonly [BlockKind, RegExp])[]}
 */
const LINES = [
  ["heading", /^#{1,6} +(.*)$/],
  ["bullets", /^ {0,6}[-*•] +(.*)$/],
  ["numbers", /^ {0,6}\d{1,3}[.)] +(.*)$/],
];

/**
 * Splits text into blocks in a single pass. An unclosed code block extends to the end.
 * @param {string} text
 * @returns {readonly Block[]}
 */
export function toBlocks(text) {
  /** @type {{ kind: BlockKind, lines: string[] }[]} */
  const blocks = [];
  let isCode = false;
  let isOpen = false;
  for (const line of text.split("\n")) {
    if (/^\s{0,3}```/.test(line)) {
      isCode = !isCode;
      isOpen = false;
      if (isCode) blocks.push({ kind: "code", lines: [] });
    } else if (isCode) {
      blocks.at(-1)?.lines.push(line);
    } else if (line.trim() === "") {
      isOpen = false;
    } else {
      const [kind, content] = toLine(line);
      const last = blocks.at(-1);
      const isList = kind === "bullets" || kind === "numbers";
      // A blank line between two items does not end a list.
      const joins = last?.kind === kind && (isList || (isOpen && kind === "paragraph"));
      if (joins) last.lines.push(content);
      else blocks.push({ kind, lines: [content] });
      isOpen = true;
    }
  }
  return blocks;
}

/**
 * Finds `code` and **bold** in a line.
 * @param {string} line
 * @returns {readonly Span[]}
 */
export function toSpans(line) {
  return line
    .split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/)
    .filter((piece) => piece !== "")
    .map((piece) => {
      if (/^`[^`]+`$/.test(piece)) return { kind: "code", text: piece.slice(1, -1) };
      if (/^\*\*[^*]+\*\*$/.test(piece)) return { kind: "bold", text: piece.slice(2, -2) };
      return { kind: "text", text: piece };
    });
}

/** @type {(line: string) => readonly [BlockKind, string]} */
function toLine(line) {
  for (const [kind, pattern] of LINES) {
    const content = pattern.exec(line)?.[1];
    if (content !== undefined) return [kind, content];
  }
  return ["paragraph", line];
}
