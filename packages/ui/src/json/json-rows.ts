/**
 * @fileoverview Visible rows of a JSON tree. Only the members of expanded values become rows.
 * @module ui/json/json-rows
 */
import { isJsonObject } from "@tenon/internal/json";
import type { TreePlace } from "../components/collections/tree-rows.js";
import {
  cursorOf,
  type JsonKind,
  jsonKindOf,
  type JsonPath,
  type MemberCursor,
  nextMember,
  sizeOf,
} from "./json-value.js";

/** Row of a JSON tree. `isExpanded` is absent for values without members. */
export interface JsonRow extends TreePlace {
  /** JSON Pointer to the value. */
  readonly key: string;
  /** Member name or index. Absent for the root. */
  readonly name: string | number | undefined;
  readonly value: unknown;
  readonly kind: JsonKind;
}

interface Frame {
  readonly cursor: MemberCursor;
  readonly key: string;
  readonly level: number;
  readonly parent: number;
}

/** Rows that are created at most. Members after them are not shown. */
export const MAX_ROWS = 500_000;

/** Returns the visible rows: the root, and the members of every expanded value. */
export function jsonRows(root: unknown, isExpanded: (key: string) => boolean): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  const open: Frame[] = [];
  /** Adds a row, and opens its value if it is expanded. */
  const add = (row: Omit<JsonRow, "kind" | "isExpanded">) => {
    const { key, value, level } = row;
    const cursor = cursorOf(value);
    const isOpen = cursor.size === 0 ? undefined : isExpanded(key);
    rows.push({ ...row, kind: jsonKindOf(value), isExpanded: isOpen });
    if (isOpen === true) open.push({ cursor, key, level: level + 1, parent: rows.length - 1 });
  };
  add({ key: "", name: undefined, value: root, level: 1, position: 1, siblings: 1, parent: -1 });
  for (let frame = open.at(-1); frame !== undefined && rows.length < MAX_ROWS; frame = open.at(-1)) {
    const member = nextMember(frame.cursor);
    const { level, parent } = frame;
    if (member === undefined) open.pop();
    else {
      const { index, name, value } = member;
      const key = childKey(frame.key, name);
      add({ key, name, value, level, position: index + 1, siblings: frame.cursor.size, parent });
    }
  }
  return rows;
}

/** Returns the path of a row. */
export function pathOfRow(rows: readonly JsonRow[], index: number): JsonPath {
  const path: (string | number)[] = [];
  for (let row = rows[index]; row?.name !== undefined; row = rows[row.parent]) path.unshift(row.name);
  return path;
}

/** Returns the JSON Pointer of a member (RFC 6901). */
export function childKey(key: string, name: string | number): string {
  return `${key}/${typeof name === "number" ? name : name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Limits for the values that are expanded at first. */
export interface ExpansionLimits {
  /** Levels that are expanded. */
  readonly levels: number;
  /** Rows that are visible at most. Values that would exceed this number stay collapsed. */
  readonly maxRows: number;
}

/** Returns the keys of the values to expand, level by level, as long as the rows stay within a limit. */
export function initialExpansion(root: unknown, { levels, maxRows }: ExpansionLimits): ReadonlySet<string> {
  const expanded = new Set<string>();
  let rows = 1;
  let level: readonly { readonly value: unknown; readonly key: string }[] = [{ value: root, key: "" }];
  for (let depth = 0; depth < levels && level.length > 0; depth++) {
    const next: { value: unknown; key: string }[] = [];
    for (const { value, key } of level) {
      const size = sizeOf(value);
      // The root is always expanded, because its row alone says nothing.
      if (size === 0 || (rows + size > maxRows && key !== "")) continue;
      rows += size;
      expanded.add(key);
      if (rows <= maxRows)
        next.push(...membersOf(value).map(([name, member]) => ({ value: member, key: childKey(key, name) })));
    }
    level = next;
  }
  return expanded;
}

/** Returns the elements of an array or the members of an object. */
function membersOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((element: unknown, index) => [index, element]);
  return isJsonObject(value) ? Object.entries(value) : [];
}
