/**
 * @fileoverview Kinds, texts, and paths of JSON values.
 * @module ui/json/json-value
 */
import { isJsonObject } from "@tenon/internal/json";
import { formatQuantity } from "../support/format.js";

/** Kind of a JSON value. `other` stands for values that JSON does not have. */
export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null" | "other";

/** Keys and indexes from a root to a value. */
export type JsonPath = readonly (string | number)[];

/** Returns the kind of a value. */
export function jsonKindOf(value: unknown): JsonKind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (isJsonObject(value)) return "object";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "other";
}

/** Returns the number of elements or members of a value, or 0. */
export function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

/** Returns an element of an array or a member of an object. */
function memberAt(container: unknown, name: string | number): unknown {
  if (Array.isArray(container)) return typeof name === "number" ? container[name] : undefined;
  return isJsonObject(container) ? container[name] : undefined;
}

/** Array or object whose members are visited one after another, without recursion. */
export interface MemberCursor {
  readonly container: unknown;
  /** Names of the members. Absent for arrays. */
  readonly names: readonly string[] | undefined;
  readonly size: number;
  /** Index of the next member. */
  next: number;
}

/** Returns a cursor before the first member of a value. */
export function cursorOf(container: unknown): MemberCursor {
  const names = isJsonObject(container) ? Object.keys(container) : undefined;
  return { container, names, size: names?.length ?? sizeOf(container), next: 0 };
}

/** Moves a cursor. Returns the next member, or `undefined` after the last one. */
export function nextMember(cursor: MemberCursor) {
  if (cursor.next >= cursor.size) return undefined;
  const index = cursor.next++;
  const name = cursor.names === undefined ? index : (cursor.names[index] ?? "");
  return { index, name, value: memberAt(cursor.container, name) };
}

/** Characters of a string that a row shows. */
export const MAX_STRING = 200;

/** Returns the text of a scalar, or the size of an array or object. Long strings are cut. */
export function summaryOf(value: unknown): string {
  switch (jsonKindOf(value)) {
    case "array":
      return `[${formatQuantity(sizeOf(value), "item")}]`;
    case "object":
      return `{${formatQuantity(sizeOf(value), "member")}}`;
    case "other":
      return typeof value;
    default:
      return JSON.stringify(typeof value === "string" ? value.slice(0, MAX_STRING) : value);
  }
}

/** Returns true if `summaryOf` cuts a value. */
export function isLongString(value: unknown): value is string {
  return typeof value === "string" && value.length > MAX_STRING;
}

/** Returns a path as a JavaScript expression without its root, such as `items[2].name` or `["a b"]`. */
export function showPath(path: JsonPath): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}

/** Returns a value as indented JSON. Returns an empty text for values that JSON does not have. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value, undefined, 2) ?? "";
  } catch {
    // A cycle or a bigint, which parsed JSON never contains.
    return "";
  }
}
