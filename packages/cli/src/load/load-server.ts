/**
 * @fileoverview Loads a module of the user's and finds the server in its default export.
 * @module cli/load/load-server
 */
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isPromise } from "@tenon/internal/maybe-promise";
import { isSdkServer } from "@tenon/sdk";
import type { AnyServer, ServerOrigin } from "@tenon/sdk";
import { cliError, usageError } from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/read-arguments";
import { prepareTypeScript } from "./typescript.js";

/** Where a file's servers come from, and whether there is no more than one session in them. */
export interface LoadedServer {
  readonly origin: ServerOrigin<unknown>;
  readonly isSingle: boolean;
}

/** Loads a file's server. @throws CliError where there is none */
export async function loadServer(file: string, cwd: string): Promise<LoadedServer> {
  const path = resolve(cwd, file);
  await checkFile(file, path);
  await prepareTypeScript(file, path, cwd);
  return toOrigin(file, await importDefault(file, path));
}

async function checkFile(file: string, path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return;
  if (found !== undefined) throw usageError(`${file} is not a file`);
  const neighbours = await readdir(dirname(path)).catch((): string[] => []);
  throw usageError(`There is no file ${file}${suggestion(basename(path), neighbours)}`);
}

async function importDefault(file: string, path: string): Promise<unknown> {
  let loaded: { readonly default?: unknown };
  try {
    loaded = (await import(pathToFileURL(path).href)) as typeof loaded; // a module's exports are an object
  } catch (error) {
    // The module is the user's own, and so is what its error tells.
    throw cliError(`${file} cannot be loaded: ${tellOf(error)}`);
  }
  const { default: given } = loaded;
  // A module compiled to CommonJS carries its default export one level deeper.
  const isWrapped =
    typeof given === "object" && given !== null && "__esModule" in given && "default" in given;
  return isWrapped ? given.default : given;
}

async function toOrigin(file: string, given: unknown): Promise<LoadedServer> {
  if (given === undefined) {
    throw cliError(
      `${file} has no default export. Export the server: export default server; a file that serves by itself is started with node.`,
    );
  }
  if (typeof given !== "function")
    return { origin: { mcpServer: checkServer(file, given) }, isSingle: isSdkServer(given) };
  const make = given as () => unknown;
  const first = await makeServer(file, make);
  const server = checkServer(file, first.made);
  if (!isSdkServer(server)) return { origin: { mcpServer: server }, isSingle: false };
  // A session must have its server at once: a factory that makes one wait has made the only one.
  if (first.isLate) return { origin: { mcpServer: server }, isSingle: true };
  let ready: AnyServer<unknown> | undefined = server;
  const serverFactory = (): AnyServer<unknown> => {
    const next = ready ?? (make() as AnyServer<unknown>); // checked where it is used
    ready = undefined;
    return next;
  };
  return { origin: { serverFactory }, isSingle: false };
}

async function makeServer(file: string, make: () => unknown) {
  try {
    const made = make();
    return { made: await made, isLate: isPromise(made) };
  } catch (error) {
    throw cliError(`The default export of ${file} failed: ${tellOf(error)}`);
  }
}

function checkServer(file: string, value: unknown): AnyServer<unknown> {
  if (isSdkServer(value)) return value;
  const isOurs =
    typeof value === "object" &&
    value !== null &&
    (("handle" in value && typeof value.handle === "function") ||
      ("build" in value && typeof value.build === "function"));
  if (isOurs) return value as AnyServer<unknown>; // of the shape that every wire asks for
  throw cliError(
    `The default export of ${file} is no server: export a server, a builder, or a function that makes one`,
  );
}

/** An error of the user's module, with the place it came from. */
function tellOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? error.message).split("\n");
  // Below the module stand Node and this program, which tell the user nothing.
  const end = lines.findIndex((line) => /^ +at .*\(node:internal/.test(line));
  return lines.slice(0, end === -1 ? MAX_LINES : Math.min(end, MAX_LINES)).join("\n");
}

const MAX_LINES = 12;
