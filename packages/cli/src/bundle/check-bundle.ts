/**
 * @fileoverview Starts a bundle in an empty folder, as a client would, and compares it to its module.
 * @module cli/bundle/check-bundle
 */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import type { Client } from "tenon/client";
import { cliError, EXIT, type Terminal } from "@tenon/internal/command-line/command";
import { resolveFrom } from "../load/split-target.js";
import { runWithClient } from "../client/session.js";
import type { TargetFlags } from "../client/target.js";
import { unpackArchive } from "./archive.js";
import { createPackageFinder } from "./compile/bundled-packages.js";
import { ENTRY_POINT } from "./manifest.js";
import {
  type CallOutcome,
  callSafeTool,
  compareOffers,
  readOffer,
  type ServerOffer,
} from "./server-offer.js";
import { tmpdir } from "node:os";

/** A module's behavior, which its bundle must have too. */
export interface ServerBehavior {
  readonly offer: ServerOffer;
  /** Outcome of the call, if the server has a tool that is safe to call. */
  readonly call: CallOutcome | undefined;
}

/** Bundle to check, and the folder to check it in. */
export interface BundleCheck {
  /** Empty folder outside the project. */
  readonly folder: string;
  /** The program. */
  readonly program: Uint8Array;
  /** The `.mcpb` file, if there is one. It is unpacked and run instead of the program. */
  readonly archive: Uint8Array | undefined;
  /** Packages that are not bundled. They are linked for a program without an archive, because they must be installed. */
  readonly external: readonly string[];
  /** Absolute path of the module, from which external packages are resolved. */
  readonly modulePath: string;
  /** Time limit for one request, in seconds. */
  readonly timeout: number;
}

/** Loads a module and observes its behavior. @throws {CliError} if it cannot be loaded or does not export a server */
export async function observeModule(
  file: string,
  timeout: number,
  terminal: Terminal,
): Promise<ServerBehavior> {
  return observe({ server: file, timeout }, terminal, observeClient);
}

/** Loads a module and reads its lists, without calling a tool. @throws {CliError} if it cannot be loaded */
export async function readModuleOffer(
  file: string,
  timeout: number,
  terminal: Terminal,
): Promise<ServerOffer> {
  return observe({ server: file, timeout }, terminal, readOffer);
}

/** Starts the bundle and compares it to its module. @throws {CliError} if it does not start, or behaves differently */
export async function checkBundle(
  check: BundleCheck,
  expected: ServerBehavior,
  terminal: Terminal,
): Promise<void> {
  const file = await prepare(check);
  // On Windows, programs are started by a shell, which would split a path with spaces.
  const node = process.platform === "win32" ? "node" : process.execPath;
  const { NODE_OPTIONS: _options, NODE_PATH: _path, ...env } = terminal.env;
  const flags = { program: [node, file], timeout: check.timeout };
  const outside = { ...terminal, cwd: check.folder, env };
  const actual = await observe(flags, outside, observeClient).catch((error: unknown) => {
    throw describe(error, "The bundle does not start, so nothing was written.");
  });
  const differences = [...compareOffers(expected.offer, actual.offer), ...compareCalls(expected, actual)];
  if (differences.length === 0) return;
  const shown = differences.slice(0, MAX_DIFFERENCES).map((line) => `- ${line}`);
  throw cliError(
    ["The bundle behaves differently than the module, so nothing was written.", ...shown].join("\n"),
  );
}

const MAX_DIFFERENCES = 20;

/** Writes the bundle to the folder. Returns the path of the program, relative to the folder. */
async function prepare({ folder, program, archive, external, modulePath }: BundleCheck): Promise<string> {
  if (archive !== undefined) {
    await unpackArchive(archive, folder);
    return join(...ENTRY_POINT.split("/"));
  }
  await writeFile(join(folder, "server.mjs"), program);
  for (const name of external) {
    const target = locatePackage(name, modulePath);
    const link = join(folder, "node_modules", ...name.split("/"));
    if (target === undefined) continue;
    await mkdir(dirname(link), { recursive: true });
    await symlink(target, link, "junction");
  }
  return "server.mjs";
}

/** Returns the folder of an installed package, or `undefined`. An optional package may be missing. */
function locatePackage(name: string, modulePath: string): string | undefined {
  const entry = resolveFrom(dirname(modulePath), name);
  return entry && createPackageFinder()(entry)?.folder;
}

function observe<T>(flags: TargetFlags, terminal: Terminal, run: (client: Client) => Promise<T>): Promise<T> {
  return runWithClient(flags, { terminal }, ({ client }) => run(client));
}

async function observeClient(client: Client): Promise<ServerBehavior> {
  const offer = await readOffer(client);
  return { offer, call: await callSafeTool(client, offer.tools) };
}

/** A call that fails in the module may fail in the bundle too, for example because a setting is missing. */
function compareCalls(expected: ServerBehavior, actual: ServerBehavior): readonly string[] {
  const isWorse = expected.call?.isError === false && actual.call?.isError === true;
  return isWorse ? [`Tool "${actual.call?.tool ?? ""}" fails in the bundle, but not in the module.`] : [];
}

/** Adds a line before the message of an error. The message contains the program's standard error output. */
function describe(error: unknown, line: string): unknown {
  if (!(error instanceof Error) || !("exitCode" in error)) return error;
  return error.exitCode === EXIT.failure ? cliError(`${line}\n${error.message}`) : error;
}

/** Runs a function with a new, empty folder. Removes the folder when the function has finished or failed. */
export async function withTemporaryFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tenon-bundle-")));
  try {
    return await run(folder);
  } finally {
    // On Windows, a program that has just exited may still hold its folder for a moment.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
