/**
 * @fileoverview Compact form of a capture, for files in the repository. Texts for people are replaced by their length and
 * a digest, because the rules need only their length, their equality, and the phrases and characters that they report.
 * @module tools/doctor-survey/skeleton
 */
import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject } from "../../packages/internal/src/json.js";
import type { ListName } from "../../packages/cli/src/client/list-feature.js";
import type { Capture } from "../../packages/cli/src/doctor/facts/capture.js";
import { findHidden } from "../../packages/cli/src/doctor/facts/hidden-characters.js";
import { findPhrase } from "../../packages/cli/src/doctor/rules/security/rules.js";

/** Converts a capture to its compact form. */
export function toSkeleton(capture: Capture): Capture {
  const { server, instructions, lists, ...rest } = capture;
  const shorten = (list: ListName) => ({ ...lists[list], items: lists[list].items.map(shortenEntry) });
  return {
    ...rest,
    server: pick(server, ["name", "version"]),
    ...(instructions === undefined ? {} : { instructions: shortenText(instructions) }),
    lists: {
      tools: shorten("tools"),
      resources: shorten("resources"),
      resourceTemplates: shorten("resourceTemplates"),
      prompts: shorten("prompts"),
    },
  };
}

/** Converts a compact form to a capture on which the rules find the same. */
export function fromSkeleton(skeleton: Capture): Capture {
  return restore(skeleton) as Capture; // Safe: only texts change
}

/** Keys of texts for people. */
const PROSE: ReadonlySet<string> = new Set(["description", "title", "markdownDescription", "$comment"]);
/** Members that no rule reads. */
const UNREAD: ReadonlySet<string> = new Set(["icons", "_meta", "execution"]);
/** Digest, length, additional length in JSON, and phrase that a rule reports. */
const MARK = /^§([0-9a-f]{8}):(\d+)(?:\+(\d+))?(?::([^]*))?$/;
const MIN_LENGTH = 16;

function shortenEntry(entry: JsonObject): JsonObject {
  const kept = Object.entries(entry).filter(([key]) => !UNREAD.has(key));
  const names = [entry["name"], entry["title"]].map(letters);
  return Object.fromEntries(
    kept.map(([key, value]) => {
      // A description that only repeats the name must stay recognizable.
      const repeatsName = key === "description" && names.includes(letters(value));
      return [key, repeatsName ? value : shortenValue(value, key)];
    }),
  );
}

function shortenValue(value: unknown, key: string): unknown {
  if (typeof value === "string") return PROSE.has(key) ? shortenText(value) : value;
  if (Array.isArray(value)) return value.map((element) => shortenValue(element, ""));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shortenValue(member, name)]),
  );
}

function shortenText(text: string): string {
  if (text.length < MIN_LENGTH || text.trim() === "" || findHidden(text).length > 0) return text;
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 8);
  const phrase = findPhrase(text)?.phrase;
  const escapes = JSON.stringify(text).length - 2 - text.length;
  const size = `${text.length}${escapes === 0 ? "" : `+${escapes}`}`;
  return `§${digest}:${size}${phrase === undefined ? "" : `:${phrase}`}`;
}

function restore(value: unknown): unknown {
  if (typeof value === "string") {
    const [, digest, length, escapes = "0", phrase = ""] = MARK.exec(value) ?? [];
    if (digest === undefined) return value;
    const filler = `${digest.replaceAll(/[0-9]/g, (digit) => "ghijklmnop"[Number(digit)] ?? "")} `;
    // A quotation mark takes one more character in JSON.
    const start = `${phrase === "" ? "" : `${phrase} `}${'"'.repeat(Number(escapes))}`;
    return (start + filler.repeat(Math.ceil(Number(length) / filler.length))).slice(0, Number(length));
  }
  if (Array.isArray(value)) return value.map(restore);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, restore(member)]));
}

function letters(text: unknown): string | undefined {
  return typeof text === "string" ? text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "") : undefined;
}

function pick(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)));
}
