/**
 * @fileoverview Values of the headers that repeat parts of the body: right ones, wrong ones, and both at the same time.
 * @module tools/attack/corpora/header-values
 */
import { Buffer } from "node:buffer";
import { LEGACY, MODERN } from "../clients/messages.js";

/** Values of one header, one per line, and whether the request may be accepted. */
export interface ValueCase {
  readonly values: readonly string[];
  readonly isRight: boolean;
}

const right = (...values: readonly string[]): ValueCase => ({ values, isRight: true });
const wrong = (...values: readonly string[]): ValueCase => ({ values, isRight: false });

/** Encodes text as the specification requires for characters that a header cannot contain. */
export const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;

/** Values for the header with the name of an item. */
export function nameValues(name: string, other: string): readonly ValueCase[] {
  return [
    right(name),
    right(`  ${name}\t`),
    right(encoded(name)),
    wrong(),
    wrong(""),
    wrong(other),
    wrong(encoded(other)),
    wrong(`${name}x`),
    wrong(name.slice(0, -1)),
    wrong(name.toUpperCase()),
    wrong(`${name}, ${other}`),
    wrong(`${name},${name}`),
    wrong(name, other),
    wrong(other, name),
    wrong(encoded(name).replace("?base64?", "?BASE64?")),
    wrong(`=?base64?${Buffer.from(`${name}x`).toString("base64").slice(0, -1)}?=`),
    wrong(encoded(encoded(name))),
    wrong(encodeURIComponent(` ${name}`)),
  ];
}

/** Values for the header with the method. */
export function methodValues(method: string): readonly ValueCase[] {
  return [
    right(method),
    right(` ${method} `),
    wrong(),
    wrong(""),
    wrong("server/discover"),
    wrong(method.toUpperCase()),
    wrong(`${method}/`),
    wrong(method, "server/discover"),
    wrong("server/discover", method),
  ];
}

/** Values for the header with the protocol version. */
export const VERSION_VALUES: readonly ValueCase[] = [
  right(MODERN),
  right(` ${MODERN}\t`),
  wrong(),
  wrong(""),
  wrong(LEGACY),
  wrong("2025-03-26"),
  wrong("2999-12-31"),
  wrong(MODERN, LEGACY),
  wrong(LEGACY, MODERN),
];
