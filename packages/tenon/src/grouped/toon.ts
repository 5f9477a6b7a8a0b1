/**
 * @fileoverview TOON, a table notation that uses fewer tokens than JSON. Only this file loads the encoder, and only
 * `tenon/grouped` imports this file.
 * @module tenon/grouped/toon
 */
import { encode } from "@toon-format/toon";
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { oneOf } from "@tenon/internal/options/option-rows";
import { textResult } from "../core/definitions/results/tool-result.js";
import { isPlainObject, type JsonObject } from "@tenon/internal/json";
import type { ToolResult } from "../protocol/index.js";
import type { ToonEncoder } from "./strategies/toon-description-generator.js";

const TOON_OPTIONS = /* @__PURE__ */ defineOptions("toonDescription", {
  /**
   * Separator between the values of a row.
   * @default "|"
   */
  delimiter: oneOf(["|", ",", "\t"], { default: "|" }),
});

/** Options for TOON output. */
export interface ToonOptions extends OptionsOf<typeof TOON_OPTIONS> {}

/** Creates an encoder that writes values as TOON. @throws {TypeError} if an option is invalid */
export function createToonEncoder(options: ToonOptions = {}, label?: string): ToonEncoder {
  const { delimiter } = parseOptions(TOON_OPTIONS, options, label);
  return (value) => encode(value, { delimiter });
}

/**
 * Creates a text result in TOON. Lists of flat objects become tables, in which missing values are `null`.
 *
 * @example toonSuccess([{ id: 1, name: "Ada" }, { id: 2, name: "Alan" }])
 */
export function toonSuccess(data: unknown, options?: ToonOptions): ToolResult {
  return textResult(createToonEncoder(options, "toonSuccess")(toTables(data)));
}

/** Gives all rows of each list of flat objects the same columns, at any depth. */
function toTables(value: unknown): unknown {
  if (isPlainObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toTables(member)]));
  }
  // The encoder handles dates and other class instances.
  if (!Array.isArray(value)) return value;
  const rows: readonly unknown[] = value;
  return rows.every(isRow) ? toTable(rows) : rows.map(toTables);
}

/** Adds missing columns to every row, unless the gaps would cost far more than the table saves. */
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

/** Maximum number of cells for which a list always becomes a table. */
const SMALL_TABLE = 10_000;

/** Maximum number of cells per value in a larger table. */
const MOST_GAPS = 4;

function isRow(value: unknown): value is JsonObject {
  return isPlainObject(value) && Object.values(value).every(isCell);
}

/** Returns true if a value fits in one table cell. */
function isCell(value: unknown): boolean {
  return typeof value !== "object" || value === null || value instanceof Date;
}
