/**
 * @fileoverview Loads a user's module and finds the server in its default export.
 * @module cli/load/load-server
 */
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isPromise } from "@tenon/internal/maybe-promise";
import { isSdkServer } from "@tenon/sdk";
import type { AnyServer, ServerOrigin } from "@tenon/sdk";
import { cliError, usageError } from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { prepareTypeScript } from "./typescript.js";

/** Server loaded from a file. */
export interface LoadedServer {
  /** The server, or a function that creates one per session. */
  readonly origin: ServerOrigin<unknown>;
  /** True if the server supports only one session at a time. */
  readonly isSingle: boolean;
}

/** Loads the server that a file exports. @throws CliError if the file is missing, fails, or exports something else */
export async function loadServer(file: string, cwd: string): Promise<LoadedServer> {
  const path = resolve(cwd, file);
  await assertFile(file, path);
  await prepareTypeScript(file, path, cwd);
  return toOrigin(file, await importDefault(file, path));
}

async function assertFile(file: string, path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return;
  if (found !== undefined) throw usageError(`"${file}" is not a file. Pass a module such as src/server.ts.`);
  const siblings = await readdir(dirname(path)).catch((): string[] => []);
  throw usageError(`File "${file}" not found${suggestion(basename(path), siblings)}`);
}

async function importDefault(file: string, path: string): Promise<unknown> {
  let loaded: { readonly default?: unknown };
  try {
    loaded = (await import(pathToFileURL(path).href)) as typeof loaded; // a module's exports are an object
  } catch (error) {
    // The error comes from the user's own module, so its stack is shown.
    throw cliError(`Could not load "${file}": ${describeError(error)}`);
  }
  const { default: given } = loaded;
  // In a module compiled to CommonJS, the default export is one level deeper.
  const isWrapped =
    typeof given === "object" && given !== null && "__esModule" in given && "default" in given;
  return isWrapped ? given.default : given;
}

async function toOrigin(file: string, given: unknown): Promise<LoadedServer> {
  if (given === undefined) {
    throw cliError(
      `"${file}" does not have a default export. Add \`export default server\`. ` +
        "If the file starts a server itself, run it with node.",
    );
  }
  if (typeof given !== "function") {
    assertServer(file, given);
    return { origin: { mcpServer: given }, isSingle: isSdkServer(given) };
  }
  const make = given as () => unknown;
  const first = await makeServer(file, make);
  const server = first.made;
  assertServer(file, server);
  if (!isSdkServer(server)) return { origin: { mcpServer: server }, isSingle: false };
  // A session needs its server synchronously, so an async factory is called only once.
  if (first.isAsync) return { origin: { mcpServer: server }, isSingle: true };
  let ready: AnyServer<unknown> | undefined = server;
  const serverFactory = (): AnyServer<unknown> => {
    // The first server was checked above. The transport checks the others.
    const next = ready ?? (make() as AnyServer<unknown>);
    ready = undefined;
    return next;
  };
  return { origin: { serverFactory }, isSingle: false };
}

async function makeServer(file: string, make: () => unknown) {
  try {
    const made = make();
    return { made: await made, isAsync: isPromise(made) };
  } catch (error) {
    throw cliError(`The default export of "${file}" threw an error: ${describeError(error)}`);
  }
}

function assertServer(file: string, value: unknown): asserts value is AnyServer<unknown> {
  const isTenonServer =
    typeof value === "object" &&
    value !== null &&
    (("handle" in value && typeof value.handle === "function") ||
      ("build" in value && typeof value.build === "function"));
  if (isTenonServer || isSdkServer(value)) return;
  throw cliError(
    `The default export of "${file}" is not a server; got a value of type ${typeof value}. ` +
      "Export a server, a builder, or a function that returns one.",
  );
}

/** Describes an error from the user's module, with its location in the source. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const lines = (error.stack ?? error.message).split("\n");
  // The frames below the module belong to Node.js and this program.
  const end = lines.findIndex((line) => /^ +at .*\(node:internal/.test(line));
  return lines.slice(0, end === -1 ? MAX_LINES : Math.min(end, MAX_LINES)).join("\n");
}

const MAX_LINES = 12;
