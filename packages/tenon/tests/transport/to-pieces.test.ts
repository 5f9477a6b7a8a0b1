import { expect, test } from "vitest";
import { toPieces } from "../../src/transport/to-pieces.js";

test("the pieces of a response have memory of their own, so that one of them does not keep the others", () => {
  const bytes = Uint8Array.from({ length: 1_000_001 }, (_, at) => at % 251);
  const pieces = toPieces(bytes, 262_144);
  expect(pieces.map(({ byteLength }) => byteLength)).toEqual([262_144, 262_144, 262_144, 213_569]);
  for (const { buffer, byteLength } of pieces) expect(buffer.byteLength).toBe(byteLength);
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
});
