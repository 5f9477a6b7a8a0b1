/**
 * @fileoverview Results as the tests of grouped tools expect them.
 * @module tests/grouped/results
 */
import type { ToolResult } from "../../src/protocol/index.js";

/** A result of one text. */
export const text = (value: string): ToolResult => ({ content: [{ type: "text", text: value }] });

/** A failure of one text. */
export const failure = (value: string): ToolResult => ({ ...text(value), isError: true });

/** The text of a result that has one. */
export function textOf({ content }: Pick<ToolResult, "content">): string {
  const [block] = content;
  if (block?.type !== "text") throw new Error("the result has no text");
  return block.text;
}
