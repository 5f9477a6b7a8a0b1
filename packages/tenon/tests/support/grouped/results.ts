/**
 * @fileoverview Expected results in tests of grouped tools.
 * @module tests/support/grouped/results
 */
import type { ToolResult } from "../../../src/protocol/index.js";

/** Creates a result with one text. */
export const text = (value: string): ToolResult => ({ content: [{ type: "text", text: value }] });

/** Creates an error result with one text. */
export const failure = (value: string): ToolResult => ({ ...text(value), isError: true });

/** Returns a result's text. Throws if the result does not contain text. */
export function textOf({ content }: Pick<ToolResult, "content">): string {
  const [block] = content;
  if (block?.type !== "text") throw new Error("the result has no text");
  return block.text;
}
