/**
 * @fileoverview Reads the information and capabilities that a client declares. Sessions keep them for their lifetime,
 * so the copies are limited in size.
 * @module tenon/protocol/client-facts
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { decodeUtf8, encodeUtf8 } from "@tenon/internal/utf8";
import type { ClientCapabilities } from "./definitions.js";

/**
 * Copies a client's name, version, title, description, website URL, and icons. Truncates names, versions, and titles to
 * 256 characters and descriptions to 512. Omits a URL longer than 1,024 characters, and icons with more than 16 values
 * or 1,024 characters in total. Returns `undefined` if the value is not an object.
 */
export function readClientInfo(value: unknown): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, version, title, description, websiteUrl, icons } = value;
  const info: Record<string, unknown> = {};
  if (typeof name === "string") info["name"] = cut(name, MAX_NAME);
  if (typeof version === "string") info["version"] = cut(version, MAX_NAME);
  if (typeof title === "string") info["title"] = cut(title, MAX_NAME);
  if (typeof description === "string") info["description"] = cut(description, MAX_DESCRIPTION);
  if (typeof websiteUrl === "string" && websiteUrl.length <= MAX_URL) info["websiteUrl"] = websiteUrl;
  if (
    Array.isArray(icons) &&
    fits(icons, { values: MAX_ICON_VALUES, characters: MAX_ICON_CHARACTERS }, MAX_DEPTH)
  ) {
    info["icons"] = copyJson(icons);
  }
  return info;
}

/**
 * Copies a client's capabilities. The specification leaves the set open, so unknown names are kept. Only the first 32
 * names are read. A capability is ignored if it is not an object, is nested deeper than 8 levels, or would raise the
 * total above 128 values or 4,096 characters.
 */
export function readCapabilities(value: unknown): ClientCapabilities {
  const capabilities: Record<string, unknown> = {};
  if (!isJsonObject(value)) return capabilities;
  const left: Budget = { values: MAX_VALUES, characters: MAX_CHARACTERS };
  let seen = 0;
  for (const name in value) {
    if (++seen > MAX_CAPABILITIES) break;
    const capability = value[name];
    const { values, characters } = left;
    left.characters -= name.length;
    if (name !== "__proto__" && isJsonObject(capability) && fits(capability, left, MAX_DEPTH)) {
      capabilities[name] = copyJson(capability);
    } else {
      left.values = values;
      left.characters = characters;
    }
  }
  return capabilities;
}

/**
 * Limits the size of client information for one request. Returns the same object if it contains only a few short
 * strings, which saves a copy. Otherwise, returns the result of `readClientInfo`.
 */
export function boundClientInfo(value: JsonObject): JsonObject {
  let seen = 0;
  for (const name in value) {
    const member = value[name];
    if (++seen > MAX_TEXTS || typeof member !== "string" || member.length > MAX_NAME) {
      return readClientInfo(value) ?? {};
    }
  }
  return value;
}

/**
 * Limits the size of a client's capabilities for one request. Returns the same object if it is within the limits, which
 * saves a copy. Otherwise, returns the result of `readCapabilities`.
 */
export function boundCapabilities(value: JsonObject): ClientCapabilities {
  const left: Budget = { values: MAX_VALUES, characters: MAX_CHARACTERS };
  let seen = 0;
  for (const name in value) {
    const capability = value[name];
    left.characters -= name.length;
    if (++seen > MAX_CAPABILITIES || !isJsonObject(capability) || !fits(capability, left, MAX_DEPTH)) {
      return readCapabilities(value);
    }
  }
  return value;
}

const MAX_TEXTS = 8;
const MAX_NAME = 256;
const MAX_DESCRIPTION = 512;
const MAX_URL = 1_024;
const MAX_ICON_VALUES = 16;
const MAX_ICON_CHARACTERS = 1_024;
// About 20 kB per client, so 10,000 sessions at these limits take 200 MB.
const MAX_CAPABILITIES = 32;
const MAX_VALUES = 128;
const MAX_CHARACTERS = 4_096;
const MAX_DEPTH = 8;

/** Remaining size that a copy may use. */
interface Budget {
  /** Number of objects, arrays, and scalars. */
  values: number;
  /** Total length of keys and strings. */
  characters: number;
}

/** Subtracts a value's size from the budget. Returns false as soon as the budget or the nesting limit is exceeded. */
function fits(value: unknown, left: Budget, depth: number): boolean {
  if (--left.values < 0) return false;
  if (typeof value === "string") left.characters -= value.length;
  if (left.characters < 0) return false;
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) {
    return value.length <= left.values && value.every((item) => fits(item, left, depth - 1));
  }
  for (const key in value) {
    left.characters -= key.length;
    if (!fits((value as JsonObject)[key], left, depth - 1)) return false;
  }
  return true;
}

/** Copies JSON data whose size `fits` has checked. */
function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson);
  if (!isJsonObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    // Assigning this key would change the copy's prototype.
    if (key !== "__proto__") copy[key] = copyJson(value[key]);
  }
  return copy;
}

/** Truncates a string. Encodes and decodes the result, because a slice would keep the whole string in memory. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : (decodeUtf8(encodeUtf8(text.slice(0, length))) ?? "");
}
