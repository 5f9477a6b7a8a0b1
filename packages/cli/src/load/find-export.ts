/**
 * @fileoverview Finds the server among a module's exports: the named one, the default export, `server`, `app`, or `mcp`.
 * @module cli/load/find-export
 */
import { isSdkServer } from "@tenon/sdk/adapters";
import type { AnyServer } from "@tenon/sdk/adapters";
import { kindOf } from "@tenon/internal/kind-of";
import { cliError } from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { oneLine } from "@tenon/internal/text";

/** Export that is a server, or a function that creates one. */
export interface FoundExport {
  /** Start of an error message, such as `The default export`. */
  readonly label: string;
  readonly value: unknown;
}

/** A module's exports by name. */
export type Exports = Readonly<Record<string, unknown>>;

/** Finds the server. @throws {CliError} that lists the exports if none is a server */
export function findExport(file: string, exports: Exports, wanted: string | undefined): FoundExport {
  if (wanted !== undefined) return findNamed(file, exports, wanted);
  const { default: given } = exports;
  if (typeof given === "function" || isServer(given)) return { label: labelOf("default"), value: given };
  // Functions are called only if they are exported as default or were named by the user: `app` may be an Express app.
  const found = IMPLICIT_NAMES.find((name) => isServer(readExport(exports, name)));
  if (found !== undefined) return { label: labelOf(found), value: readExport(exports, found) };
  const names = Object.keys(exports);
  if (names.length === 0) {
    throw cliError(
      `"${file}" does not export anything. Add \`export default server\`. ` +
        `If the file starts a server itself, run it as a program: -- node ${file}`,
    );
  }
  const example = oneLine(names.find((name) => name !== "default") ?? "name", 60);
  throw cliError(
    `"${file}" does not export a server. It exports: ${listOf(names)}. ` +
      `Export the server as default, server, app, or mcp, or select an export: ${file}:${example}`,
  );
}

/** Returns an export. Members of a CommonJS module may appear one level deeper, in the default export. */
export function readExport(exports: Exports, name: string): unknown {
  if (Object.hasOwn(exports, name)) return exports[name];
  const { default: given } = exports;
  return typeof given === "object" && given !== null && !isServer(given) && Object.hasOwn(given, name)
    ? (given as Exports)[name]
    : undefined;
}

/** Returns the exports of an imported module. In a module compiled to CommonJS, they are one level deeper. */
export function toExports(loaded: Exports): Exports {
  const { default: given } = loaded;
  const isWrapped = typeof given === "object" && given !== null && "__esModule" in given;
  const names = Object.entries(isWrapped ? given : loaded);
  return Object.fromEntries(names.filter(([name]) => name !== "__esModule" && name !== "module.exports"));
}

/** Returns true if a value is a Tenon server, a builder, or an official SDK server. */
export function isServer(value: unknown): value is AnyServer {
  if (typeof value !== "object" || value === null) return false;
  const has = (name: string) => name in value && typeof (value as Exports)[name] === "function";
  return (has("handle") && has("attach")) || has("build") || isSdkServer(value);
}

const IMPLICIT_NAMES = ["server", "app", "mcp"];

function findNamed(file: string, exports: Exports, wanted: string): FoundExport {
  const names = Object.keys(exports);
  const value = readExport(exports, wanted);
  if (value === undefined) {
    throw cliError(
      `"${file}" does not export "${oneLine(wanted, 60)}"${suggestion(wanted, names)} ` +
        `It exports: ${names.length === 0 ? "nothing" : listOf(names)}.`,
    );
  }
  if (typeof value === "function" || isServer(value)) return { label: labelOf(wanted), value };
  throw cliError(
    `${labelOf(wanted)} of "${file}" must be a server; got ${kindOf(value)}. ` +
      "Export a server, a builder, or a function that returns one.",
  );
}

function labelOf(name: string): string {
  return name === "default" ? "The default export" : `The export \`${name}\``;
}

function listOf(names: readonly string[]): string {
  return oneLine(names.map((name) => oneLine(name, 60)).join(", "), 500);
}
