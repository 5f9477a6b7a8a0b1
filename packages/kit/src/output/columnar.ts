/**
 * @fileoverview Objects as a table: the names of the columns once, and then values only. It costs a fraction of the
 * tokens.
 * @module kit/columnar
 */
import { toJson } from "./responses.js";

/** Value of a table. */
export type Cell = string | number | boolean | null;

/** A table, row by row. */
export interface Columnar<Value = Cell> {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

/** Options of `toColumnar`. */
export interface ColumnarOptions<Value = Cell> {
  /** Which columns, in which order. @default every key, in the order in which they are first met */
  readonly columns?: readonly string[];
  /** What stands for a value. @default text, numbers, truth values and null as they are, the rest as JSON */
  readonly cell?: (value: unknown, column: string) => Value;
}

/** Objects as a table; what an object does not have is null. */
export function toColumnar<Value = Cell>(
  items: readonly object[],
  options: ColumnarOptions<Value> = {},
): Columnar<Value> {
  // Without a function of the caller's own, `Value` is `Cell`.
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

/** Objects in the shape that was asked for. */
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
