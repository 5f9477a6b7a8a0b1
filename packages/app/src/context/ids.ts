/**
 * @fileoverview Generates request and span IDs. Request IDs are generated in blocks, because generating
 * ten in a loop costs as much as a single one.
 * @module app/context/ids
 */
import { Buffer } from "node:buffer";
import type { Ports } from "@tenon/internal/ports";

/** Generates unique IDs. */
export interface Ids {
  /** Returns a version 4 UUID (RFC 9562). */
  readonly nextRequest: () => string;
  /** Returns 16 hexadecimal digits, not all zero. */
  readonly nextSpan: () => string;
}

/** Creates an ID generator. The first random bytes are read when the first ID is requested. */
export function createIds(randomBytes: Ports["randomBytes"]): Ids {
  const uuids: string[] = [];
  const text = Buffer.alloc(UUID_LENGTH, "-");
  let next = BLOCK;
  let pool = new Uint8Array(0);
  let taken = 0;
  const fill = () => {
    for (let at = 0; at < BLOCK; at++, taken += UUID_BYTES) {
      if (taken >= pool.length) {
        pool = randomBytes(POOL_BYTES);
        taken = 0;
      }
      uuids[at] = toUuid(pool, taken, text);
    }
    next = 0;
  };
  return {
    nextRequest() {
      if (next === BLOCK) fill();
      return uuids[next++] ?? "";
    },
    nextSpan() {
      const digits = Buffer.from(randomBytes(8)).toString("hex");
      return /^0+$/.test(digits) ? "0000000000000001" : digits;
    },
  };
}

/** Formats 16 bytes as a UUID. Writing to a buffer yields a flat string, which is faster to log. */
function toUuid(bytes: Uint8Array, from: number, text: Buffer): string {
  for (let index = 0; index < UUID_BYTES; index++) {
    const place = PLACES[index] ?? 0;
    const byte = ((bytes[from + index] ?? 0) & (KEPT_BITS[index] ?? 0xff)) | (SET_BITS[index] ?? 0);
    text[place] = toDigit(byte >> 4);
    text[place + 1] = toDigit(byte & 0xf);
  }
  return text.toString("latin1");
}

function toDigit(value: number): number {
  return value < 10 ? ZERO + value : LETTER_A + value - 10;
}

/** IDs per block. A larger block would delay the first request. */
const BLOCK = 64;
/** Random bytes per read. Reading 16 KiB takes hardly longer than reading 2 KiB. */
const POOL_BYTES = 16_384;
const UUID_BYTES = 16;
const UUID_LENGTH = 36;
/** Position of each byte's first digit in the text. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
/** Bit masks. The version and variant replace bits in the seventh and ninth bytes. */
const KEPT_BITS = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xff, 0x3f];
const SET_BITS = [0, 0, 0, 0, 0, 0, 0x40, 0, 0x80];
const ZERO = 48;
const LETTER_A = 97;
