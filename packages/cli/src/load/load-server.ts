/**
 * @fileoverview Loads a user's module, and finds the server and its context among the exports.
 * @module cli/load/load-server
 */
import { dirname, extname } from "node:path";
import { pathToFileURL } from "node:url";
import { isPromise } from "@tenon/internal/maybe-promise";
import { type AnyServer, isSdkServer, type ServerOrigin } from "@tenon/sdk/adapters";
import { kindOf } from "@tenon/internal/kind-of";
import { cliError } from "@tenon/internal/command-line/command";
import { findExport, type FoundExport, isServer, readExport, toExports } from "./find-export.js";
import { assertFile, findModule, resolveFrom } from "./split-target.js";
import { describeLoadError, describeUserError, type UserModule } from "./user-error.js";
import process from "node:process";

/** Server loaded from a file. */
export interface LoadedServer {
  /** The server, or a function that creates one per session. */
  readonly origin: ServerOrigin;
  /** True if the server supports only one session at a time. */
  readonly isSingle: boolean;
  /** The module's `context` export, which handlers receive as `call.context`. */
  readonly context: unknown;
  readonly module: UserModule;
}

/**
 * Loads the server that a file exports. `target` is a path, optionally with the name of the export: `server.ts:app`.
 *
 * @throws {CliError} if the file is missing, fails, or does not export a server
 */
export async function loadServer(target: string, cwd: string): Promise<LoadedServer> {
  const found = await findModule(target, cwd);
  const { file, path } = found;
  await assertFile(found);
  await prepareTypeScript(file, path, cwd);
  const module = { path, cwd };
  const exports = toExports(await importModule(file, module));
  const server = findExport(file, exports, found.wanted);
  const context = await readExport(exports, "context");
  return { ...(await toOrigin(file, server, module)), context, module };
}

async function importModule(file: string, module: UserModule): Promise<Readonly<Record<string, unknown>>> {
  try {
    // A module's exports are an object.
    return (await import(pathToFileURL(module.path).href)) as Record<string, unknown>;
  } catch (error) {
    throw cliError(`Could not load "${file}": ${await describeLoadError(error, module)}`);
  }
}

type Origin = Pick<LoadedServer, "origin" | "isSingle">;

async function toOrigin(file: string, found: FoundExport, module: UserModule): Promise<Origin> {
  const { label, value } = found;
  if (typeof value !== "function") return fromServer(file, value, module);
  const make = value as () => unknown;
  const { made, isAsync } = await makeServer(`${label} of "${file}"`, make, module);
  if (!isServer(made)) {
    throw cliError(`${label} of "${file}" must return a server or a builder; got ${kindOf(made)}.`);
  }
  // A session requires its server synchronously, so an async factory is called only once.
  if (!isSdkServer(made) || isAsync) return fromServer(file, made, module);
  let ready: AnyServer | undefined = made;
  const serverFactory = (): AnyServer => {
    // Safe: the first server was checked above, and the transport checks the others.
    const next = ready ?? (make() as AnyServer);
    ready = undefined;
    return next;
  };
  return { origin: { serverFactory }, isSingle: false };
}

/** Builds the server now, so that a mistake in a definition is reported as the user's, with its location. */
function fromServer(file: string, value: unknown, module: UserModule): Origin {
  const server = value as AnyServer; // Safe: `findExport` or `toOrigin` checked it
  if (isSdkServer(server)) return { origin: { mcpServer: server }, isSingle: true };
  if (!("build" in server)) return { origin: { mcpServer: server }, isSingle: false };
  try {
    return { origin: { mcpServer: server.build() }, isSingle: false };
  } catch (error) {
    throw cliError(`Could not build the server in "${file}": ${describeUserError(error, module)}`);
  }
}

async function makeServer(label: string, make: () => unknown, module: UserModule) {
  try {
    const made = make();
    return { made: await made, isAsync: isPromise(made) };
  } catch (error) {
    throw cliError(`${label} threw an error: ${describeUserError(error, module)}`);
  }
}

/** Installs a TypeScript loader if the file requires one. @throws {CliError} if none is available */
async function prepareTypeScript(file: string, path: string, cwd: string): Promise<void> {
  if (![".ts", ".mts", ".cts", ".tsx"].includes(extname(path))) return;
  if (hasLoader()) return;
  const loader = resolveFrom(dirname(path), "tsx") ?? resolveFrom(cwd, "tsx");
  if (loader !== undefined) {
    // This is the module that `node --import tsx` loads. Importing it installs the loader.
    await import(pathToFileURL(loader).href);
    return;
  }
  const { typescript } = process.features as { readonly typescript?: unknown };
  if (typescript === "strip" || typescript === "transform") return;
  throw cliError(
    `"${file}" is TypeScript, which Node.js ${process.version} cannot load. Install tsx: npm install --save-dev tsx`,
  );
}

/** Returns true if Node.js was started with a TypeScript loader. */
function hasLoader(): boolean {
  const { execArgv, env } = process;
  return /\b(tsx|ts-node|swc-node|jiti)\b/.test([...execArgv, env["NODE_OPTIONS"] ?? ""].join(" "));
}
