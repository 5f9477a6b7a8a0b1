/**
 * @fileoverview TOON, a notation for tables that costs a model fewer tokens than JSON, through the library that defines
 * it.
 * @module grouped/toon
 */
import { textResult } from "../core/definitions/tool-result.js";
import { isPlainObject, type JsonObject } from "@tenon/internal/json";
import type { ToolResult } from "../protocol/index.js";
import type { ToonEncoder } from "./strategies/toon-description-generator.js";

/** How TOON is written. */
export interface ToonOptions {
  /**
   * What stands between the values of a row.
   * @default "|"
   */
  readonly delimiter?: "|" | "," | "\t";
}

/**
 * Loads the encoder, for `toonDescription` and `toonSuccess`.
 *
 * @example const toon = await loadToon();
 * @throws where \@toon-format/toon is not installed
 */
export async function loadToon(options: ToonOptions = {}): Promise<ToonEncoder> {
  const { delimiter = "|" } = options;
  const { encode } = await import("@toon-format/toon").catch((cause: unknown) => {
    throw new Error("TOON needs the package @toon-format/toon: npm install @toon-format/toon", { cause });
  });
  return (value) => encode(value, { delimiter });
}

/** A result in TOON. Rows of objects stay a table: a column that a row lacks is `null` there. */
export function toonSuccess(data: unknown, toon: ToonEncoder): ToolResult {
  return textResult(toon(toTables(data)));
}

/** Gives all rows of every list of flat objects the same columns, at any depth. */
function toTables(value: unknown): unknown {
  if (isPlainObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toTables(member)]));
  }
  // A date or another object with a meaning of its own is the encoder's to write.
  if (!Array.isArray(value)) return value;
  const rows: readonly unknown[] = value;
  return rows.every(isRow) ? toTable(rows) : rows.map(toTables);
}

/** Gives every row every column, unless the gaps would cost far more than the table saves. */
function toTable(rows: readonly JsonObject[]): readonly JsonObject[] {
  const names = rows.map((row) => Object.keys(row));
  const columns = [...new Set(names.flat())];
  const size = columns.length * rows.length;
  if (size > SMALL_TABLE && size > names.flat().length * MOST_GAPS) return rows;
  return rows.map((row) =>
    Object.fromEntries(
      columns.map((column) => [column, Object.hasOwn(row, column) ? (row[column] ?? null) : null]),
    ),
  );
}

/** In cells: up to here a table is a table, however full of gaps. */
const SMALL_TABLE = 10_000;

/** Above that, cells for each value that is there. */
const MOST_GAPS = 4;

function isRow(value: unknown): value is JsonObject {
  return isPlainObject(value) && Object.values(value).every(isCell);
}

/** What the encoder writes as one value. */
function isCell(value: unknown): boolean {
  return typeof value !== "object" || value === null || value instanceof Date;
}
