/**
 * @fileoverview The contents of the large results: the same values in every server and in the checks.
 * @module bench/lib/large-results
 */
import { Buffer } from "node:buffer";

/** Names of the tools with large results, which are also the names of their cases. */
export const LARGE_NAMES = ["text_1mb", "unicode_1mb", "structured_1mb", "image_5mb"] as const;

/** Name of a tool with a large result. */
export type LargeName = (typeof LARGE_NAMES)[number];

/** One record of the structured result. */
export interface LargeRecord {
  readonly id: number;
  readonly name: string;
  readonly price: number;
  readonly inStock: boolean;
  readonly tags: readonly string[];
}

const MEGABYTE = 1_000_000;

/** Returns 1 MB of text in lines, as in a log file: quotes and line ends must be escaped. */
export function largeText(): string {
  const line = (index: number) => `2026-11-17 12:00:00 request ${index} "GET /orders/${index}" took 12 ms\n`;
  return repeatTo(line, MEGABYTE);
}

/** Returns 1 MB of text with characters outside Latin-1. */
export function largeUnicode(): string {
  return repeatTo((index) => `Zeile ${index} – „größer“ kostet 12 €, größte Länge: 12 µm\n`, MEGABYTE);
}

/** Returns records that take 1 MB as JSON. */
export function largeRecords(): readonly LargeRecord[] {
  const records: LargeRecord[] = [];
  for (let bytes = 0; bytes < MEGABYTE;) {
    const id = records.length;
    const record = {
      id,
      name: `Product number ${id}`,
      price: id / 4,
      inStock: id % 3 !== 0,
      tags: ["garden", `shelf ${id % 40}`],
    };
    records.push(record);
    bytes += JSON.stringify(record).length + 1;
  }
  return records;
}

/** Returns an image of 5 MB in base64. Its bytes are not a valid image: no server decodes them. */
export function largeImage(): string {
  const bytes = Buffer.alloc(5 * MEGABYTE);
  for (let index = 0; index < bytes.length; index++) bytes[index] = (index * 2_654_435_761) >>> 24;
  return bytes.toString("base64");
}

const EXPECTED: Readonly<Record<LargeName, () => string>> = {
  text_1mb: largeText,
  unicode_1mb: largeUnicode,
  structured_1mb: () => JSON.stringify({ records: largeRecords() }),
  image_5mb: largeImage,
};

const expected = new Map<LargeName, string>();

/** Returns true if a result has the expected content. */
export function checkLarge(name: LargeName, result: unknown): boolean {
  const wanted = expected.get(name) ?? EXPECTED[name]();
  expected.set(name, wanted);
  const { content, structuredContent } = result as {
    readonly content?: readonly { readonly text?: string; readonly data?: string }[];
    readonly structuredContent?: unknown;
  };
  const [part] = content ?? [];
  if (name === "image_5mb") return part?.data === wanted;
  return part?.text === wanted && (name !== "structured_1mb" || JSON.stringify(structuredContent) === wanted);
}

/** Joins lines up to a length in characters. The result is one flat string, as text from a file or a database is. */
function repeatTo(line: (index: number) => string, length: number): string {
  const lines: string[] = [];
  for (let total = 0; total < length;) {
    const next = line(lines.length);
    lines.push(next);
    total += next.length;
  }
  return lines.join("").slice(0, length);
}
