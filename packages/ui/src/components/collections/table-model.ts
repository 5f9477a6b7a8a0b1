/**
 * @fileoverview Turns an array of objects into columns, cells, and a sort order.
 * @module ui/components/collections/table-model
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** Column of a table. */
export interface Column {
  readonly name: string;
  /** True if all values are numbers. Such columns are aligned at their end. */
  readonly isNumeric: boolean;
  /** Width in characters. */
  readonly width: number;
}

/** Sort order of a table. */
export interface SortOrder {
  readonly column: string;
  readonly isDescending: boolean;
}

const MAX_COLUMNS = 50;
const MAX_SAMPLED_ROWS = 200;
const MAX_CELL_LENGTH = 300;
const MIN_WIDTH = 6;
const MAX_WIDTH = 48;

/** Returns the rows if a value is an array of objects with at least one member, or `undefined`. */
export function toTableRows(value: unknown): readonly JsonObject[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const rows: readonly unknown[] = value;
  return rows.every(isJsonObject) && rows.some((row) => Object.keys(row).length > 0) ? rows : undefined;
}

/**
 * Returns the columns for rows, in the order in which their names first appear. Names that appear only after the first
 * 200 rows are skipped, and so are columns after the first 50.
 */
export function columnsOf(rows: readonly JsonObject[]): readonly Column[] {
  const facts = new Map<string, { isNumeric: boolean; width: number }>();
  for (const row of rows.slice(0, MAX_SAMPLED_ROWS)) {
    for (const [name, value] of Object.entries(row)) {
      const known = facts.get(name);
      if (known === undefined && facts.size >= MAX_COLUMNS) continue;
      // The arrow of the sort order needs space next to the name.
      const { isNumeric, width } = known ?? { isNumeric: true, width: name.length + 3 };
      facts.set(name, {
        isNumeric: isNumeric && (typeof value === "number" || value === null),
        width: Math.max(width, cellText(value).length),
      });
    }
  }
  return [...facts].map(([name, { isNumeric, width }]) => ({
    name,
    isNumeric,
    width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)),
  }));
}

/** Returns the text of a cell: a string as it is, and other values as JSON. Long texts are cut. */
export function cellText(value: unknown): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? value : cellJson(value);
  return text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH)}…` : text;
}

/** Sorts rows by a column. Numbers precede texts, and rows without a value are last in both directions. */
export function sortRows(rows: readonly JsonObject[], order: SortOrder | undefined): readonly JsonObject[] {
  if (order === undefined) return rows;
  const { column, isDescending } = order;
  const direction = isDescending ? -1 : 1;
  const keyed = rows.map((row) => ({
    row,
    key: Object.hasOwn(row, column) ? sortKey(row[column]) : undefined,
  }));
  keyed.sort((a, b) => {
    if (a.key === undefined || b.key === undefined)
      return Number(a.key === undefined) - Number(b.key === undefined);
    return direction * compareKeys(a.key, b.key);
  });
  return keyed.map(({ row }) => row);
}

/** Returns the sort order after a click on a column: ascending, then descending, then none. */
export function nextOrder(order: SortOrder | undefined, column: string): SortOrder | undefined {
  if (order?.column !== column) return { column, isDescending: false };
  return order.isDescending ? undefined : { column, isDescending: true };
}

/** Returns the JSON text of a value, or only its kind if the text could be long. */
function cellJson(value: unknown): string {
  if (Array.isArray(value) && value.length > 20) return `[${value.length} items]`;
  if (isJsonObject(value) && Object.keys(value).length > 20) return `{${Object.keys(value).length} members}`;
  return JSON.stringify(value, shortened) ?? "";
}

/** Shortens nested values, so that a cell never creates a large text. */
function shortened(this: unknown, key: string, value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, MAX_CELL_LENGTH);
  if (key === "" || typeof value !== "object" || value === null) return value;
  return Object.keys(value).length > 20 ? "…" : value;
}

type SortKey = number | string;

function sortKey(value: unknown): SortKey | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "number" ? value : cellText(value);
}

const collator = /* @__PURE__ */ new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function compareKeys(a: SortKey, b: SortKey): number {
  if (typeof a === "number") return typeof b === "number" ? a - b : -1;
  return typeof b === "number" ? 1 : collator.compare(a, b);
}
