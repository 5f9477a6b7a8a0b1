/**
 * @fileoverview Exports of a module that become part of a bundle.
 * @module cli/bundle/project/module-target
 */
import { realpath } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { isJsonObject } from "@tenon/internal/json";
import { cliError } from "@tenon/internal/command-line/command";
import { findExport, type Exports, readExport, toExports } from "../../load/find-export.js";
import type { ModuleTarget } from "../../load/split-target.js";

/** Exports of a module that a bundle uses. */
export interface ModuleExports {
  /** Export that is the server, or a function that creates it. */
  readonly server: ExportPlace;
  /** Export that handlers receive as `call.context`. */
  readonly context: ExportPlace | undefined;
  /** Value of the export `config`. */
  readonly config: unknown;
  /** True if the exports are members of a CommonJS module that was compiled from an ES module. */
  readonly isWrapped: boolean;
}

/** Place of an export: its name, and true if it is a member of the default export, as in CommonJS modules. */
export interface ExportPlace {
  readonly name: string;
  readonly isNested: boolean;
}

/** Reads the exports of a module that is already loaded. @throws {CliError} if none of them is a server */
export async function readModule({ file, path, wanted }: ModuleTarget): Promise<ModuleExports> {
  const loaded = (await import(pathToFileURL(path).href)) as Exports; // Safe: a module's exports are an object
  const { default: given } = loaded;
  const exports = toExports(loaded);
  const { value } = findExport(file, exports, wanted);
  const names = wanted === undefined ? ["default", "server", "app", "mcp"] : [wanted];
  const name = names.find((one) => readExport(exports, one) === value);
  if (name === undefined) throw cliError(`Could not find the server among the exports of "${file}".`);
  const placeOf = (one: string): ExportPlace => ({ name: one, isNested: !Object.hasOwn(exports, one) });
  return {
    server: placeOf(name),
    context: readExport(exports, "context") === undefined ? undefined : placeOf("context"),
    config: readExport(exports, "config"),
    isWrapped: isJsonObject(given) && "__esModule" in given,
  };
}

/** Returns a path without symbolic links, so that it is comparable to the paths of bundled files. */
export async function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
