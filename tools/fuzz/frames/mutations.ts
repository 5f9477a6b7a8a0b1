/**
 * @fileoverview Changes to the bytes of a frame: flipped bits, missing and added bytes, and bytes that are not UTF-8.
 * @module tools/fuzz/frames/mutations
 */
import { Buffer } from "node:buffer";
import type { Random } from "../../random.js";

/** Bytes that no valid frame contains, or that readers of text often treat wrongly. */
const INSERTS: readonly (readonly number[])[] = [
  [0x00],
  [0xef, 0xbb, 0xbf],
  [0xff, 0xfe],
  [0xfe, 0xff],
  [0x80],
  [0xc0, 0x80],
  [0xc0, 0xaf],
  [0xe0, 0x80, 0xaf],
  [0xf0, 0x80, 0x80, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xed, 0xb0, 0x80],
  [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0xc3],
  [0xe2, 0x82],
  [0xf0, 0x9f, 0x98],
  [0xff],
  [0x0d],
  [0x0d, 0x0a],
  [0x0a],
  [0x1b],
  [0x7f],
  [0xc2, 0x85],
  [0xe2, 0x80, 0xa8],
  [0xf0, 0x9f, 0x98, 0x80],
  [0x22],
  [0x5c],
  [0x5c, 0x75, 0x64, 0x38, 0x30, 0x30],
  [0x5b, 0x5b, 0x5b],
  [0x7d, 0x5d],
  [0x2c],
  [0x2f, 0x2a, 0x2a, 0x2f],
  [0x4e, 0x61, 0x4e],
];

/** Mutates the bytes of a frame one to three times. @param other frame whose end may replace the end of this one */
export function mutateBytes(bytes: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let mutated = bytes;
  for (let left = random.between(1, 3); left > 0; left--) mutated = mutateOnce(mutated, other, random);
  return mutated;
}

function mutateOnce(bytes: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  const at = random.between(0, bytes.length);
  const end = Math.min(bytes.length, at + random.between(1, 12));
  switch (random.between(0, 11)) {
    case 0:
    case 1:
    case 2:
      return flipBits(bytes, random);
    case 3:
      return bytes.subarray(0, at);
    case 4:
      return bytes.subarray(at);
    case 5:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    case 6:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    case 7:
      return Buffer.concat([bytes.subarray(0, at), other.subarray(random.between(0, other.length))]);
    case 8:
      return Buffer.concat([bytes.subarray(0, at), randomBytes(random), bytes.subarray(at)]);
    case 9:
      return random.chance(0.1)
        ? Buffer.from(Buffer.from(bytes).toString("latin1"), "utf16le")
        : Buffer.concat([Uint8Array.of(0xef, 0xbb, 0xbf), bytes]);
    default:
      return Buffer.concat([
        bytes.subarray(0, at),
        Uint8Array.from(random.pick(INSERTS)),
        bytes.subarray(at),
      ]);
  }
}

function flipBits(bytes: Uint8Array, random: Random): Uint8Array {
  if (bytes.length === 0) return bytes;
  const flipped = Uint8Array.from(bytes);
  for (let left = random.between(1, 4); left > 0; left--) {
    const at = random.between(0, flipped.length - 1);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << random.between(0, 7));
  }
  return flipped;
}

function randomBytes(random: Random): Uint8Array {
  return Uint8Array.from({ length: random.between(1, 8) }, () => random.between(0, 255));
}
