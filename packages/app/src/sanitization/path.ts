/**
 * @fileoverview Paths from strangers, kept below a folder on every system that might read them. Only the text is looked
 * at: a link on the disk can still lead elsewhere.
 * @module app/sanitization/path
 */
import { isAbsolute, join, normalize, sep } from "node:path";
import { parseText, refuseInput } from "./refusal.js";

/** Options of `sanitizePath`. */
export interface SanitizePathOptions {
  /** The absolute path of the folder that the path stays below. @default none: the path stays relative */
  readonly root?: string;
  /**
   * Whether a path may be absolute; with a `root` it must then lie below that.
   * @default false
   */
  readonly allowAbsolute?: boolean;
  /**
   * Longest path, in characters.
   * @default 1024
   */
  readonly maxLength?: number;
}

/** A path that may be used, and what was done to it. */
export interface SanitizedPath {
  /** The path to open: below the root where there is one. */
  readonly path: string;
  /** The same path below the root, with `/` between its parts; `.` for the root itself. */
  readonly relativePath: string;
  readonly wasAbsolute: boolean;
  /** Whether it was written in another form before. */
  readonly wasChanged: boolean;
}

/**
 * Checks a path, and puts it in its normal form.
 *
 * @throws `VALIDATION_ERROR` where it leaves its folder, or would mean something else to another system
 */
export function sanitizePath(input: unknown, options: SanitizePathOptions = {}): SanitizedPath {
  const { root, allowAbsolute = false, maxLength = 1_024 } = options;
  if (root !== undefined && !isAbsolute(root)) throw new Error("root must be an absolute path");
  const text = parseText("path", input, maxLength);
  assertCharacters(text);
  const slashed = text.replaceAll("\\", "/");
  if (slashed.startsWith("//")) return refuseInput("path", "it names a device or another machine", text);
  const wasAbsolute = slashed.startsWith("/");
  if (wasAbsolute && !allowAbsolute) return refuseInput("path", "it must be relative", text);
  if (HOME.test(slashed)) return refuseInput("path", "it names a home folder", text);
  const parts = collapse(slashed, text);
  // `a/../~` comes down to one, too.
  if (!wasAbsolute && HOME.test(parts[0] ?? "")) return refuseInput("path", "it names a home folder", text);
  if (wasAbsolute) return absolute(text, parts, root);
  const relativePath = parts.join("/") || ".";
  const path = root === undefined ? relativePath : join(root, ...parts);
  return { path, relativePath, wasAbsolute, wasChanged: relativePath !== text };
}

const HOME = /^~[\w-]*(\/|$)/;

function absolute(text: string, parts: readonly string[], root: string | undefined): SanitizedPath {
  const path = normalize(`/${parts.join("/")}`);
  if (root === undefined) {
    return { path, relativePath: parts.join("/") || ".", wasAbsolute: true, wasChanged: path !== text };
  }
  const base = normalize(root).replace(/[\\/]+$/, "");
  // The separator is part of the comparison: `/data-old` does not lie below `/data`.
  if (path !== base && !path.startsWith(`${base}${sep}`)) {
    return refuseInput("path", "it leaves its folder", text);
  }
  const relativePath = path.slice(base.length + 1).replaceAll(sep, "/") || ".";
  return { path, relativePath, wasAbsolute: true, wasChanged: path !== text };
}

/** The parts of a path without `.` and `..`. */
function collapse(slashed: string, text: string): readonly string[] {
  const parts: string[] = [];
  for (const part of slashed.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (parts.pop() === undefined) return refuseInput("path", "it leaves its folder", text);
      continue;
    }
    // Windows drops these ends, so that `.. ` is `..` there, and opens devices by these names in any folder.
    if (/[. ]$/.test(part)) return refuseInput("path", "a part of it ends with a dot or a space", text);
    if (/^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d\u00b9\u00b2\u00b3])( *\.|$)/i.test(part)) {
      return refuseInput("path", "it names a device", text);
    }
    parts.push(part);
  }
  return parts;
}

function assertCharacters(text: string): void {
  if (text.trim() === "") return refuseInput("path", "it is empty");
  if (/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(text)) {
    return refuseInput("path", "it has characters that are not seen", text);
  }
  if (/[:*?"<>|]/.test(text)) {
    return refuseInput("path", 'it has one of : * ? " < > |, which mean something else on Windows', text);
  }
  // Whoever decodes once more, or folds letters to plain ones, would find a way up in these.
  if (/%[0-9a-f]{2}/i.test(text)) return refuseInput("path", "it has escapes such as %2e", text);
  if (
    /[\u2024\u2025\u2026\u2044\u2215\u2216\u29f5\u29f8\u29f9\ufe52\ufe68\uff0e\uff0f\uff3c\uff61\u3002]/.test(
      text,
    )
  ) {
    return refuseInput("path", "it has letters that look like dots or slashes", text);
  }
}
