/**
 * @fileoverview Decides how a configuration file changes when a server is installed or removed. Nothing is written.
 * @module cli/install/plan
 */
import { cliError } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/text";
import { canonicalJson, isJsonObject, type JsonObject } from "@tenon/internal/json";
import { REDACTED } from "@tenon/internal/security/redact-text";
import { listBackups, quote, readConfigFile } from "./config-file.js";
import type { Client } from "./clients.js";
import { type ConfigDocument, ConfigProblem, SECRET_MEMBERS } from "./edit/document.js";
import { openJson } from "./edit/json.js";
import type { ConfigFile } from "./types.js";

/** Effect of a command on a file. */
export type Action = "added" | "replaced" | "removed" | "unchanged";

/** New text of a file. */
export interface Plan {
  readonly action: Action;
  readonly text: string;
  /** Entry after the installation, or before the removal. */
  readonly entry: unknown;
  /** Redacted text before and after the change. */
  readonly redacted: { readonly before: string; readonly after: string };
  /** Names of the servers in the file before the change. */
  readonly names: readonly string[];
}

/** Server to install. */
export interface InstallRequest {
  readonly client: Client;
  readonly name: string;
  readonly entry: JsonObject;
  /** True to replace an entry that differs. */
  readonly force: boolean;
}

/** Plans an installation. @throws {CliError} if the file is not valid, or contains a different entry of the same name */
export async function planInstall(file: ConfigFile, request: InstallRequest): Promise<Plan> {
  const { client, name, entry, force } = request;
  return withProblems(file, async () => {
    const document = await openDocument(client, file.text);
    const key = client.toKey(name);
    const existing = document.read(key);
    if (existing !== undefined && isSameEntry(existing, entry, client))
      return toPlan(client, document, { action: "unchanged", text: file.text, entry: existing });
    if (existing !== undefined && !force)
      throw cliError(
        `${client.title} already has a different server named "${oneLine(name, 80)}" in ${quote(file.path)}. ` +
          "Pass --force to replace it, or choose a different name with --name.",
      );
    const value = isJsonObject(existing) ? mergeEntry(existing, entry, client) : entry;
    const action = existing === undefined ? "added" : "replaced";
    return toPlan(client, document, { action, text: document.set(key, value), entry: value });
  });
}

/** Server to remove. */
export interface UninstallRequest {
  readonly client: Client;
  readonly name: string;
}

/** Plans a removal. If a backup differs only in the entry, its bytes are restored. @throws {CliError} */
export async function planUninstall(file: ConfigFile, { client, name }: UninstallRequest): Promise<Plan> {
  return withProblems(file, async () => {
    const document = await openDocument(client, file.text);
    const key = document.read(name) === undefined ? client.toKey(name) : name;
    const entry = document.read(key);
    if (entry === undefined) return toPlan(client, document, { action: "unchanged", text: file.text, entry });
    const original = isJsonObject(entry) ? await findOriginal(file, client, { key, entry }) : undefined;
    return toPlan(client, document, { action: "removed", text: original ?? document.remove(key), entry });
  });
}

async function findOriginal(
  file: ConfigFile,
  client: Client,
  { key, entry }: { readonly key: string; readonly entry: JsonObject },
): Promise<string | undefined> {
  for (const path of await listBackups(file.path)) {
    try {
      const { text } = await readConfigFile(path);
      const document = await openDocument(client, text);
      if (document.read(key) === undefined && document.set(key, entry) === file.text) return text;
    } catch {
      // A backup that cannot be used does not matter: the entry is removed from the text instead.
    }
  }
  return undefined;
}

async function openDocument({ syntax, container }: Client, text: string): Promise<ConfigDocument> {
  if (syntax.kind === "json") return openJson(text, { ...syntax, container });
  const { openYaml } = await import("./edit/yaml.js");
  return openYaml(text, container);
}

async function toPlan(
  client: Client,
  document: ConfigDocument,
  result: Pick<Plan, "action" | "text" | "entry">,
): Promise<Plan> {
  const after = await openDocument(client, result.text);
  return {
    ...result,
    redacted: { before: document.redacted(), after: after.redacted() },
    names: document.names,
  };
}

/** Runs a function, and turns problems of the file into errors for the user. */
async function withProblems<T>({ path }: ConfigFile, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error;
    const { place, message } = error;
    const at = place === undefined ? "" : `, line ${place.line}, column ${place.column}`;
    throw cliError(`Could not change ${quote(path)}${at}: ${message}. The file was left as it is.`);
  }
}

/**
 * Compares the members that the command decides. Clients add members of their own, and write some defaults in other
 * ways, so these do not count as a difference.
 */
export function isSameEntry(existing: unknown, entry: JsonObject, { ownMembers }: Client): boolean {
  if (!isJsonObject(existing)) return false;
  return ownMembers.every((member) => {
    const [old, wanted] = [existing[member], entry[member]];
    if (member === "type" && old === undefined) return true;
    return canonicalJson(withoutEmpty(old)) === canonicalJson(withoutEmpty(wanted));
  });
}

function withoutEmpty(value: unknown): unknown {
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return isEmpty || value === undefined ? null : value;
}

/** Replaces the members that the command decides, and keeps the others, such as `disabled` or `timeout`. */
function mergeEntry(existing: JsonObject, entry: JsonObject, { ownMembers }: Client): JsonObject {
  const kept = Object.entries(existing).filter(([member]) => !ownMembers.includes(member));
  const decided = Object.entries(entry).filter(
    ([member]) => ownMembers.includes(member) || !Object.hasOwn(existing, member),
  );
  return { ...Object.fromEntries(kept), ...Object.fromEntries(decided) };
}

/** Replaces the values of an entry that may be secrets. */
export function redactEntry(entry: JsonObject): JsonObject {
  const members = Object.entries(entry).map(([member, value]) => {
    if (!SECRET_MEMBERS.includes(member) || !isJsonObject(value)) return [member, value] as const;
    const hidden = Object.keys(value).map((name) => [name, REDACTED] as const);
    return [member, Object.fromEntries(hidden)] as const;
  });
  return Object.fromEntries(members);
}
