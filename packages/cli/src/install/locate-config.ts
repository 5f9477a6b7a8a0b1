/**
 * @fileoverview Flags that choose the client and the configuration file to change.
 * @module cli/install/locate-config
 */
import { cliError, usageError } from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { oneLine } from "@tenon/internal/text";
import { type Client, CLIENTS } from "./clients.js";
import { quote } from "./config-file.js";
import { pathsOf } from "./places.js";
import type { ConfigPlace, FileProbe, Machine, Scope } from "./types.js";
import { argument, choice, type FlagValues, toggle, value } from "@tenon/internal/command-line/flags";
import { outputArgs } from "../define-command.js";

/** Finds a client by its name on the command line. @throws {CliError} */
export function findClient(name: string): Client {
  const client = CLIENTS.find((one) => one.name === name);
  if (client !== undefined) return client;
  const names = CLIENTS.map((one) => one.name);
  const alias = Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
  const meant = alias === undefined ? suggestion(name, names) : `. Did you mean ${alias}?`;
  throw usageError(`Unknown client "${oneLine(name, 40)}"${meant} The clients are: ${names.join(", ")}.`);
}

/** Clients by other names that users try. */
const ALIASES: Readonly<Record<string, string>> = {
  claude: "claude-code or claude-desktop",
  code: "vscode",
  "vs-code": "vscode",
  copilot: "vscode",
  "gemini-cli": "gemini",
  "mcp.json": "json",
};

/** Values of the flags that choose the file. */
export interface PlaceFlags {
  readonly scope: string | undefined;
  readonly file: string | undefined;
}

/** File to change. */
export interface LocatedConfig {
  readonly file: string;
  /** Scope of the file. `undefined` if the user chose the file. */
  readonly scope: Scope | undefined;
  /** Path whose absence shows that the client is not installed. `undefined` if the client seems to be installed. */
  readonly missing: string | undefined;
}

/** Chooses the file: the one that the user named, or the client's own. @throws {CliError} for an impossible scope */
export async function locateConfig(
  client: Client,
  { scope, file }: PlaceFlags,
  { machine, files }: { readonly machine: Machine; readonly files: FileProbe },
): Promise<LocatedConfig> {
  if (file !== undefined) {
    if (scope !== undefined) throw usageError("--scope and --file cannot be used together.");
    return { file: pathsOf(machine).resolve(machine.cwd, file), scope: undefined, missing: undefined };
  }
  const chosen: Scope = scope === "project" ? "project" : "user";
  const places = client.places(machine, chosen);
  const last = places.at(-1);
  if (last === undefined) throw withoutPlace(client);
  for (const place of places)
    if (await isInstalled(place, files)) return { file: place.file, scope: chosen, missing: undefined };
  return { file: last.file, scope: chosen, missing: last.signs.at(-1) };
}

function withoutPlace({ name, title }: Client) {
  return name === "json"
    ? usageError("The client json does not have a file of its own. Pass the path with --file.")
    : usageError(`${title} has only one configuration file, for all projects. Omit --scope.`);
}

async function isInstalled({ signs }: ConfigPlace, files: FileProbe): Promise<boolean> {
  if (signs.length === 0) return true;
  const found = await Promise.all(signs.map((path) => files.exists(path)));
  return found.includes(true);
}

/** Asserts that a client seems to be installed, so that a typo does not create the folder of another client. */
export function assertInstalled({ title }: Client, { missing }: LocatedConfig): void {
  if (missing === undefined) return;
  throw cliError(
    `${title} does not seem to be installed, because ${quote(missing)} does not exist. ` +
      `Start ${title} once, and run the command again. To create the folder now, pass --force.`,
  );
}

/** Argument that selects the client. */
export const CLIENT_ARG = { client: argument(`Client: ${CLIENTS.map(({ name }) => name).join(", ")}`) };

/** Flags that select the configuration file, and a dry run. */
export const CONFIG_ARGS = {
  scope: choice(
    ["user", "project"],
    "Configuration for all projects, or for the current folder (default: user)",
  ),
  file: value("path", "Configuration file to change, instead of the client's own"),
  "dry-run": toggle("Show the change as a diff, and write nothing"),
};

/** Flags for the output. */
export const OUTPUT_ARGS = outputArgs("Print the result as JSON");

/** Values of `CONFIG_ARGS`. */
export type ConfigFlags = FlagValues<typeof CONFIG_ARGS>;
