/**
 * @fileoverview Converts objects to a table with the column names listed once, which needs far fewer tokens.
 * @module kit/output/columnar
 */
import { toJson } from "./responses.js";

/** Value of a table cell. */
export type Cell = string | number | boolean | null;

/** Table in row-major order. */
export interface Columnar<Value = Cell> {
  readonly columns: readonly string[];
  /** Rows of cells, in the order of `columns`. */
  readonly rows: readonly (readonly Value[])[];
}

/** Options for `toColumnar`. */
export interface ColumnarOptions<Value = Cell> {
  /** Columns to include, in this order. @default all keys, in order of first appearance */
  readonly columns?: readonly string[];
  /**
   * Converts a value to a cell.
   * @default keeps strings, finite numbers, booleans, and null, formats dates as ISO 8601, and converts other values to
   * JSON
   */
  readonly cell?: (value: unknown, column: string) => Value;
}

/** Converts objects to a table. Missing values become null. */
export function toColumnar<Value = Cell>(
  items: readonly object[],
  options: ColumnarOptions<Value> = {},
): Columnar<Value> {
  // Safe: without `cell`, `Value` is `Cell`.
  const cell = options.cell ?? ((value: unknown) => toCell(value) as Value);
  const columns = options.columns ?? [...new Set(items.flatMap((item) => Object.keys(item)))];
  const members = (item: object): Readonly<Record<string, unknown>> => ({ ...item });
  return {
    columns: [...columns],
    rows: items
      .map(members)
      .map((item) =>
        columns.map((column) => cell(Object.hasOwn(item, column) ? item[column] : undefined, column)),
      ),
  };
}

/** Result for `shapedOutput`: objects, or a table. */
export type Shaped<Item> =
  | { readonly type: "success"; readonly shape: "objects"; readonly items: Item[] }
  | {
      readonly type: "success";
      readonly shape: "arrays";
      readonly columns: string[];
      readonly rows: Cell[][];
    };

/** Returns the items as objects or as a table, for a tool with `shapedOutput`. */
export function toShape<Item extends object>(
  items: readonly Item[],
  shape: "objects" | "arrays" = "objects",
): Shaped<Item> {
  if (shape === "objects") return { type: "success", shape, items: [...items] };
  const { columns, rows } = toColumnar(items);
  return { type: "success", shape, columns: [...columns], rows: rows.map((row) => [...row]) };
}

function toCell(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  return toJson(value);
}
