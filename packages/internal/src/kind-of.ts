/**
 * @fileoverview Describes unexpected values and schemas for error messages.
 * @module internal/kind-of
 */
import type { JsonObject } from "./json.js";
import { printable } from "./text.js";

/** Describes a value's type, such as `a number` or `an empty string`. Never includes the value itself. */
export function kindOf(value: unknown): string {
  if (value === "") return "an empty string";
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a promise";
  return typeof value === "object" ? objectKind(value) : `a ${typeof value}`;
}

/** Names a built-in class, such as `a Map` or `a Uint8Array`. Other objects are `an object`. */
function objectKind(value: object): string {
  try {
    const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
    if (BUILT_IN.test(tag)) return `${/^[AEI]/.test(tag) ? "an" : "a"} ${tag}`;
    return Symbol.asyncIterator in value ? "an async iterable" : "an object";
  } catch {
    // A proxy whose trap throws.
    return "an object";
  }
}

const BUILT_IN =
  /^(?:(?:Weak)?(?:Map|Set)|Error|Date|RegExp|URL|Blob|File|Request|Response|Headers|FormData|ReadableStream|(?:Async)?Generator|(?:Map|Set|Array) Iterator|DataView|(?:Shared)?ArrayBuffer|(?:Big)?(?:Ui|I)nt\d+(?:Clamped)?Array|Float\d+Array)$/;

/** Formats an option's value: strings are quoted and truncated, and objects are described by type. */
export function showValue(value: unknown): string {
  if (typeof value === "string") return `"${printable(value)}"`;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : kindOf(value);
}

/** Describes a JSON Schema's type, such as `a string schema` or `an array schema`. */
export function schemaKindOf({ type }: JsonObject): string {
  if (typeof type !== "string") return "a schema without a single `type`";
  return `${/^[aeio]/.test(type) ? "an" : "a"} ${type} schema`;
}
