/**
 * @fileoverview Describes errors from the user's code in one sentence, with their location in the source.
 * @module cli/load/user-error
 */
import { execFile } from "node:child_process";
import { isAbsolute, relative, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { oneLine } from "@tenon/internal/text";
import { codeOf, messageOf } from "@tenon/internal/thrown";

/** User's module. */
export interface UserModule {
  /** Absolute path. */
  readonly path: string;
  /** Folder that locations are shown relative to. */
  readonly cwd: string;
}

/** Describes an error from importing a module. Unlike other errors, a syntax error does not contain its location. */
export async function describeLoadError(error: unknown, module: UserModule): Promise<string> {
  const isSyntax = error instanceof SyntaxError && findLocation(error, module) === undefined;
  const place = isSyntax ? await findSyntaxError(module) : undefined;
  const text = describeUserError(error, module);
  return place === undefined ? text : text.replace(/\.$/, () => ` (${place}).`);
}

/** Describes a thrown value: its message, the line in the user's code, and how to fix a missing package. */
export function describeUserError(error: unknown, module: UserModule): string {
  const failed = describeTransformError(error, module);
  if (failed !== undefined) return failed;
  const message = oneLine(messageOf(error) ?? String(error), MAX_MESSAGE);
  const name = error instanceof Error && error.name !== "Error" ? `${oneLine(error.name, 60)}: ` : "";
  const place = findLocation(error, module);
  const at = place === undefined || message.includes(place) ? "" : ` (${place})`;
  return `${name}${message.replace(/\.$/, "")}${at}.${describeFix(error, message)}`;
}

/**
 * Describes an error of esbuild, with which tsx compiles TypeScript. Its message starts with the number of errors and an
 * absolute path. Returns `undefined` for other errors.
 */
function describeTransformError(error: unknown, { cwd }: UserModule): string | undefined {
  const message = (messageOf(error) ?? "").slice(0, MAX_STACK);
  const [, file = "", line, column, text] =
    /^Transform failed with \d+ errors?:\s+(\S.*?):(\d+):(\d+): ERROR: (.+)/.exec(message) ?? [];
  const path = toPath(file);
  if (path === undefined || text === undefined) return undefined;
  // Columns of esbuild start at 0.
  const place = `${relative(cwd, path) || path}:${line}:${Number(column) + 1}`;
  return `SyntaxError: ${oneLine(text, MAX_MESSAGE).replace(/\.$/, "")} (${place}).`;
}

/** Finds the line in the user's code that an error comes from, as `file:line:column`. */
export function findLocation(error: unknown, { path, cwd }: UserModule): string | undefined {
  const stack = error instanceof Error && typeof error.stack === "string" ? error.stack : "";
  const places = [...stack.slice(0, MAX_STACK).matchAll(PLACE)].flatMap(([, file = "", line = ""]) => {
    const found = toPath(file);
    return found === undefined ? [] : [{ file: found, line }];
  });
  const isOwn = (file: string) =>
    file.startsWith(cwd + sep) && !file.includes(`${sep}node_modules${sep}`) && !isLibrary(file);
  const place = places.find(({ file }) => file === path) ?? places.find(({ file }) => isOwn(file));
  return place === undefined ? undefined : `${relative(cwd, place.file) || place.file}:${place.line}`;
}

/** Finds the line of a syntax error with `node --check`, which prints the location first. */
async function findSyntaxError({ path, cwd }: UserModule): Promise<string | undefined> {
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, ["--check", path], { timeout: CHECK_MS }, (_error, _stdout, stderr) =>
      resolve(stderr),
    );
  });
  const [, file = "", line] = /^(\S.*):(\d+)$/m.exec(printed.slice(0, MAX_STACK)) ?? [];
  return toPath(file) === path && line !== undefined ? `${relative(cwd, path)}:${line}` : undefined;
}

const CHECK_MS = 10_000;
const MAX_MESSAGE = 1_000;
const MAX_STACK = 20_000;
/** File and position in a stack: `at f (file:///a/b.ts:1:2)`, or `file:///a/b.ts:1` in a syntax error. */
const PLACE = /(?:^|\(|at |async )((?:file:\/\/)?\/?[^\s()]+?):(\d+(?::\d+)?)\)?$/gm;

/** Converts a path or a `file:` URL of a stack trace to a path. Returns `undefined` for other texts. */
export function toPath(file: string): string | undefined {
  try {
    const path = file.startsWith("file:") ? fileURLToPath(file.replace(/\?.*/, "")) : file;
    return isAbsolute(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Recognizes built files of this project's packages, which are linked without `node_modules` in a workspace. */
function isLibrary(file: string): boolean {
  return /[\\/](?:tenon|cli|sdk|kit|app|auth)[\\/]dist[\\/]/.test(file);
}

function describeFix(error: unknown, message: string): string {
  const [, name] = /^Cannot find package '([^']+)'/.exec(message) ?? [];
  return codeOf(error) === "ERR_MODULE_NOT_FOUND" && name !== undefined
    ? ` Install it: npm install ${name}`
    : "";
}
