/**
 * @fileoverview Estimates the memory of parsed JSON. The length of its text says little: two characters can become an
 * object of 56 bytes.
 * @module internal/json-memory
 */

/** Bytes of a string, an object, and an array in V8 without their content, and of each of their members. */
const STRING_BYTES = 24;
const OBJECT_BYTES = 56;
const ARRAY_BYTES = 48;
const MEMBER_BYTES = 16;
const ELEMENT_BYTES = 8;
const NUMBER_BYTES = 8;

/** V8 keeps an object with many different members as a hash table. Objects with few members often share their shape. */
const FEW_MEMBERS = 16;
const TABLE_MEMBER_BYTES = 72;

/** Long keys with wide characters take four bytes per character, because V8 keeps two copies of them. */
const LONG_KEY = 32;

/**
 * Estimates the memory that a parsed JSON value takes, in bytes. The walk is iterative, and its cost is comparable to
 * that of parsing the text.
 */
export function memoryOf(value: unknown): number {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one === "string") bytes += STRING_BYTES + one.length * (WIDE.test(one) ? 2 : 1);
    else if (typeof one === "number") bytes += NUMBER_BYTES;
    else if (Array.isArray(one)) {
      bytes += ARRAY_BYTES + ELEMENT_BYTES * one.length;
      for (const item of one as readonly unknown[]) open.push(item);
    } else if (typeof one === "object" && one !== null) {
      bytes += OBJECT_BYTES;
      let members = 0;
      for (const key in one) {
        bytes += ++members > FEW_MEMBERS ? TABLE_MEMBER_BYTES : MEMBER_BYTES;
        bytes += key.length * (key.length > LONG_KEY && WIDE.test(key) ? 4 : 1);
        open.push((one as Readonly<Record<string, unknown>>)[key]);
      }
    }
  }
  return bytes;
}

/** Finds a character that makes a string take two bytes per character. */
const WIDE = /[\u0100-\uffff]/;
