/**
 * @fileoverview TOON, a table notation that costs a model fewer tokens than JSON. This is the only file that loads the
 * encoder, and only `tenon/grouped` imports this file.
 * @module grouped/toon
 */
import { encode } from "@toon-format/toon";
import { textResult } from "../core/definitions/tool-result.js";
import { isPlainObject, type JsonObject } from "@tenon/internal/json";
import type { ToolResult } from "../protocol/index.js";
import type { ToonEncoder } from "./strategies/toon-description-generator.js";

/** Options of the TOON notation. */
export interface ToonOptions {
  /**
   * Separates the values of a row.
   * @default "|"
   */
  readonly delimiter?: "|" | "," | "\t";
}

/** Creates an encoder that writes values as TOON. */
export function createToonEncoder({ delimiter = "|" }: ToonOptions = {}): ToonEncoder {
  return (value) => encode(value, { delimiter });
}

/**
 * Creates a result in TOON. Lists of flat objects become tables; a column that a row lacks is `null` in that row.
 *
 * @example toonSuccess([{ id: 1, name: "Ada" }, { id: 2, name: "Alan" }])
 */
export function toonSuccess(data: unknown, options?: ToonOptions): ToolResult {
  return textResult(createToonEncoder(options)(toTables(data)));
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
