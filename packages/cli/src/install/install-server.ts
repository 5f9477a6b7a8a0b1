/**
 * @fileoverview Installs a server in a client, and removes it.
 * @module cli/install/install-server
 */
import { usageError } from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import type { JsonObject } from "@tenon/internal/json";
import type { Client } from "./clients.js";
import { assertInstalled, type ConfigFlags, locateConfig, type LocatedConfig } from "./locate-config.js";
import { changeConfigFile, quote, readConfigFile } from "./config-file.js";
import type { InstallContext } from "./context.js";
import type { Outcome } from "./outcome.js";
import { type Plan, planInstall, planUninstall } from "./plan.js";
import type { ResolvedServer } from "./server/resolve-server.js";
import { assertServerName } from "./server/server-name.js";
import type { ConfigFile, Machine, Server } from "./types.js";

/** Flags of `tenon install`. */
export interface InstallFlags extends ConfigFlags {
  readonly name: string | undefined;
  readonly force: boolean;
}

/** Name and entry of a server in a client's file. */
export interface NamedEntry {
  readonly name: string;
  readonly entry: JsonObject;
}

/** Creates the entry of a server. @throws {CliError} if the client cannot use the server */
export function createEntry(
  client: Client,
  { server, name: defaultName }: Pick<ResolvedServer, "server" | "name">,
  { flags, context }: { readonly flags: InstallFlags; readonly context: InstallContext },
): NamedEntry {
  const name = flags.name ?? defaultName;
  if (name === undefined) throw usageError("The server does not have a name. Pass one with --name.");
  assertServerName(name);
  const entry = client.toEntry(toStartableServer(server, client, context.machine), name);
  if (entry === undefined)
    throw usageError(
      `${client.title} starts only stdio servers from its configuration file. Add a public https server in ` +
        `${client.title} under Settings > Connectors. For other servers, install a bridge: ` +
        `tenon install ${client.name} -- npx -y mcp-remote <url>`,
    );
  return { name, entry };
}

/** Installs a server. @throws {CliError} */
export async function installServer(
  client: Client,
  resolved: ResolvedServer,
  { flags, context }: { readonly flags: InstallFlags; readonly context: InstallContext },
): Promise<Outcome> {
  const { name, entry } = createEntry(client, resolved, { flags, context });
  const place = await locateConfig(client, flags, context);
  if (!flags.force) assertInstalled(client, place);
  const hasSecrets = holdsSecrets(resolved.server);
  const request = { client, name, entry, force: flags.force };
  const change = await applyPlan((file) => planInstall(file, request), {
    file: place.file,
    flags,
    context,
    hasSecrets,
    createFolder: place.scope !== undefined || flags.force,
  });
  const notes = [...resolved.notes, ...describeRisks(resolved.server, place, { ...change, context })];
  return { ...change, client, name, scope: place.scope, isDryRun: flags.dryRun, notes };
}

/** Removes a server. @throws {CliError} */
export async function uninstallServer(
  client: Client,
  name: string,
  { flags, context }: { readonly flags: ConfigFlags; readonly context: InstallContext },
): Promise<Outcome> {
  const place = await locateConfig(client, flags, context);
  const change = await applyPlan((file) => planUninstall(file, { client, name }), {
    file: place.file,
    flags,
    context,
    hasSecrets: false,
    createFolder: false,
  });
  const { action, names } = change.plan;
  const meant = action === "unchanged" ? suggestion(name, names) : ".";
  const notes = meant === "." ? [] : [meant.replace(/^\. /, "")];
  return { ...change, client, name, scope: place.scope, isDryRun: flags.dryRun, notes };
}

interface ApplyOptions {
  readonly file: string;
  readonly flags: ConfigFlags;
  readonly context: InstallContext;
  readonly hasSecrets: boolean;
  readonly createFolder: boolean;
}

type Applied = Pick<Outcome, "file" | "plan" | "hadFile" | "backup"> & { readonly mode: number | undefined };

/** Plans a change and writes it. Without a change, and in a dry run, nothing is created, not even a lock. */
async function applyPlan(
  plan: (file: ConfigFile) => Promise<Plan>,
  { file, flags, context, hasSecrets, createFolder }: ApplyOptions,
): Promise<Applied> {
  const before = await readConfigFile(file);
  const first = await plan(before);
  const facts = { file: before.path, hadFile: before.status !== undefined, mode: before.status?.mode };
  if (first.action === "unchanged" || flags.dryRun) return { ...facts, plan: first, backup: undefined };
  // The file is planned again under the lock, because it may have changed since.
  let last = first;
  const options = { createFolder, hasSecrets, now: context.now, wait: context.wait };
  const { backup } = await changeConfigFile(file, options, async (locked) => {
    last = await plan(locked);
    return last.text;
  });
  return { ...facts, plan: last, backup };
}

function holdsSecrets(server: Server): boolean {
  return Object.keys(server.kind === "stdio" ? server.env : server.headers).length > 0;
}

function describeRisks(
  server: Server,
  { scope }: LocatedConfig,
  { file, plan, mode, context }: Applied & { readonly context: InstallContext },
): readonly string[] {
  if (plan.action === "unchanged") return [];
  const isProject = scope === "project";
  const isReadable = mode !== undefined && (mode & 0o077) !== 0 && context.machine.platform !== "win32";
  const hasSecrets = holdsSecrets(server);
  const hasPaths = server.kind === "stdio" && [server.command, ...server.args].some(isAbsolutePath);
  return [
    ...(hasSecrets && isProject
      ? ["The file contains the values of --env or --header. Do not commit it."]
      : []),
    ...(hasSecrets && isReadable && !isProject
      ? [`Other users of this machine may read ${quote(file)}. To prevent this: chmod 600 ${quote(file)}`]
      : []),
    ...(hasPaths && isProject
      ? ["The entry contains absolute paths of this machine. Other people cannot use it unchanged."]
      : []),
  ];
}

function isAbsolutePath(word: string): boolean {
  return /^(?:\/[^/]|[A-Za-z]:[\\/])/.test(word);
}

/** Wraps a script in `cmd /c` if the client does not start scripts itself. @throws {CliError} for unsafe arguments */
export function toStartableServer(server: Server, client: Client, { platform }: Machine): Server {
  if (platform !== "win32" || server.kind !== "stdio" || client.startsScripts) return server;
  if (!SCRIPTS.test(server.command)) return server;
  const words = [server.command, ...server.args];
  // `cmd` would run the text after such a character as another command.
  const unsafe = words.findIndex((word) => /[&|<>^"%\r\n]/.test(word));
  if (unsafe !== -1)
    throw usageError(
      `Word ${unsafe + 1} of the program contains one of the characters & | < > ^ " %, which cmd interprets. ` +
        `${client.title} starts scripts on Windows with cmd. Install the package, and run it with node instead.`,
    );
  return { ...server, command: "cmd", args: ["/c", ...words] };
}

/** Programs that npm and other package managers install as scripts, and names of scripts. */
const SCRIPTS = /^(?:npx|npm|pnpx|pnpm|yarn|yarnpkg|bunx|corepack|tsx|tenon)$|\.(?:cmd|bat)$/i;
