/**
 * @fileoverview Splits a stream at line feeds only. `node:readline` also splits at U+2028 in recent versions of Node.
 * @module tests/support/lines
 */
import type { Readable } from "node:stream";

/** Calls `take` with each complete line of a stream of UTF-8 text. */
export function onLines(input: Readable, take: (line: string) => void): void {
  let rest = "";
  input.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  });
}
