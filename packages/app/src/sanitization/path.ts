/**
 * @fileoverview Keeps untrusted paths inside a directory on every operating system. Only the text is checked: a
 * symbolic link on disk can still point elsewhere.
 * @module app/sanitization/path
 */
import { isAbsolute, join, normalize, sep } from "node:path";
import { printable, trimEndOf } from "@tenon/internal/text";
import { parseText, refuseInput } from "./refusal.js";

/** Options for `sanitizePath`. */
export interface SanitizePathOptions {
  /** Absolute path of the directory that the path must stay inside. @default none; the result stays relative */
  readonly root?: string;
  /**
   * Allows absolute paths. If `root` is set, they must be inside it.
   * @default false
   */
  readonly allowAbsolute?: boolean;
  /**
   * Maximum length of the path, in characters.
   * @default 1024
   */
  readonly maxLength?: number;
}

/** Result of `sanitizePath`. */
export interface SanitizedPath {
  /** Normalized path to open. It is inside `root` if one is set. */
  readonly path: string;
  /** Path relative to the root, with `/` as the separator. The root itself is `.`. */
  readonly relativePath: string;
  /** True if the input was an absolute path. */
  readonly wasAbsolute: boolean;
  /** True if normalization changed the path. */
  readonly wasChanged: boolean;
}

/**
 * Validates and normalizes a path.
 *
 * @throws {McpError} `VALIDATION_ERROR` if the path leaves its directory, or means something else on a different
 * operating system
 */
export function sanitizePath(input: unknown, options: SanitizePathOptions = {}): SanitizedPath {
  const { root, allowAbsolute = false, maxLength = 1_024 } = options;
  if (root !== undefined && !isAbsolute(root))
    throw new Error(`\`root\` must be an absolute path; got ${JSON.stringify(printable(root))}.`);
  const text = parseText("path", input, maxLength);
  assertCharacters(text);
  const slashed = text.replaceAll("\\", "/");
  if (slashed.startsWith("//"))
    return refuseInput("path", "it must not be a device path or a network path", text);
  const wasAbsolute = slashed.startsWith("/");
  if (wasAbsolute && !allowAbsolute) return refuseInput("path", "it must be relative", text);
  if (HOME.test(slashed)) return refuseInput("path", "it must not start with ~ (a home directory)", text);
  const parts = collapse(slashed, text);
  // `a/../~` also normalizes to a home directory.
  if (!wasAbsolute && HOME.test(parts[0] ?? ""))
    return refuseInput("path", "it must not start with ~ (a home directory)", text);
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
  const base = trimEndOf(normalize(root), "\\/");
  // The comparison includes the separator, because `/data-old` is not inside `/data`.
  if (path !== base && !path.startsWith(`${base}${sep}`)) {
    return refuseInput("path", "it must not point outside the root directory", text);
  }
  const relativePath = path.slice(base.length + 1).replaceAll(sep, "/") || ".";
  return { path, relativePath, wasAbsolute: true, wasChanged: path !== text };
}

/** Splits a path into segments and resolves `.` and `..`. */
function collapse(slashed: string, text: string): readonly string[] {
  const parts: string[] = [];
  for (const part of slashed.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (parts.pop() === undefined)
        return refuseInput("path", "it must not point outside the root directory", text);
      continue;
    }
    // Windows strips trailing dots and spaces, so `.. ` becomes `..`. It also opens devices by name in any directory.
    if (/[. ]$/.test(part))
      return refuseInput("path", "its segments must not end with a dot or a space", text);
    if (/^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d\u00b9\u00b2\u00b3])( *\.|$)/i.test(part)) {
      return refuseInput("path", "it must not contain a reserved Windows device name", text);
    }
    parts.push(part);
  }
  return parts;
}

function assertCharacters(text: string): void {
  if (text.trim() === "") return refuseInput("path", "it must not be empty");
  if (/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(text)) {
    return refuseInput("path", "it must not contain invisible characters", text);
  }
  if (/[:*?"<>|]/.test(text)) {
    return refuseInput("path", 'it must not contain : * ? " < > |, which are reserved on Windows', text);
  }
  // A second decoder, or a system that normalizes characters, could read these as `..` or a separator.
  if (/%[0-9a-f]{2}/i.test(text))
    return refuseInput("path", "it must not contain percent-encoding such as %2e", text);
  if (
    /[\u2024\u2025\u2026\u2044\u2215\u2216\u29f5\u29f8\u29f9\ufe52\ufe68\uff0e\uff0f\uff3c\uff61\u3002]/.test(
      text,
    )
  ) {
    return refuseInput("path", "it must not contain characters that look like dots or slashes", text);
  }
}
