/**
 * @fileoverview Converts objects to a table: column names once, then only values. It uses a fraction of the tokens.
 * @module kit/columnar
 */
import { toJson } from "./responses.js";

/** Value of a table cell. */
export type Cell = string | number | boolean | null;

/** Table in row-major order. */
export interface Columnar<Value = Cell> {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** Options of `toColumnar`. */
export interface ColumnarOptions<Value = Cell> {
  /** Columns and their order. @default all keys, in order of first appearance */
  readonly columns?: readonly string[];
  /** Converts a value to a cell. @default strings, numbers, booleans and null as they are, everything else as JSON */
  readonly cell?: (value: unknown, column: string) => Value;
}

/** Converts objects to a table. Missing values are null. */
export function toColumnar<Value = Cell>(
  items: readonly object[],
  options: ColumnarOptions<Value> = {},
): Columnar<Value> {
  // Without a custom function, `Value` is `Cell`.
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

/** Objects in one of the two shapes of `shapedOutput`. */
export type Shaped<Item> =
  | { readonly type: "success"; readonly shape: "objects"; readonly items: Item[] }
  | {
      readonly type: "success";
      readonly shape: "arrays";
      readonly columns: string[];
      readonly rows: Cell[][];
    };

/** Returns objects in the requested shape. */
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
