/**
 * @fileoverview Clients that servers can be installed in: the places and the format of their configuration files.
 * @module cli/install/clients
 */
import type { JsonObject } from "@tenon/internal/json";
import {
  claudeCodePlaces,
  claudeDesktopPlaces,
  cursorPlaces,
  geminiPlaces,
  goosePlaces,
  inProject,
  vscodePlaces,
} from "./places.js";
import type { ConfigPlace, Machine, Pairs, Scope, Server } from "./types.js";

/** Text format of a configuration file. */
export type Syntax =
  | { readonly kind: "json"; readonly comments: boolean; readonly trailingCommas: boolean }
  | { readonly kind: "yaml" };

/** Client, and the format of its configuration file. */
export interface Client {
  /** Name on the command line. */
  readonly name: string;
  /** Name in messages. */
  readonly title: string;
  readonly syntax: Syntax;
  /** Member that contains the servers. */
  readonly container: string;
  /** Returns the places of the file, the preferred one first. Empty if the client does not have the scope. */
  readonly places: (machine: Machine, scope: Scope) => readonly ConfigPlace[];
  /** Returns a server's entry, or `undefined` if the file cannot contain servers of this kind. */
  readonly toEntry: (server: Server, name: string) => JsonObject | undefined;
  /** Converts a server's name to the key of its entry. */
  readonly toKey: (name: string) => string;
  /** Members of an entry that `toEntry` decides. An existing entry keeps its other members. */
  readonly ownMembers: readonly string[];
  /** True if the client itself starts scripts such as `npx.cmd` on Windows. Otherwise, they require `cmd /c`. */
  readonly startsScripts: boolean;
  /** Tells the user what to do after an installation. */
  readonly nextStep: (scope: Scope) => string;
}

const STRICT_JSON: Syntax = { kind: "json", comments: false, trailingCommas: false };
const JSON_WITH_COMMENTS: Syntax = { kind: "json", comments: true, trailingCommas: true };

/** Members of entries in most JSON files. */
const JSON_MEMBERS = ["type", "command", "args", "env", "url", "headers"];

/** Settings that most clients share. */
const USUAL = {
  syntax: JSON_WITH_COMMENTS,
  container: "mcpServers",
  toEntry: toTypedEntry,
  toKey: (name: string) => name,
  ownMembers: JSON_MEMBERS,
  startsScripts: false,
};

/** Clients, in the order of the help text. */
export const CLIENTS: readonly Client[] = [
  {
    ...USUAL,
    name: "claude-code",
    title: "Claude Code",
    syntax: STRICT_JSON,
    places: placesIn(claudeCodePlaces, ".mcp.json"),
    nextStep: (scope) =>
      scope === "user"
        ? "Restart Claude Code, and check the server with /mcp. A session that is already running may overwrite the file."
        : "Start Claude Code in this folder, approve the server, and check it with /mcp.",
  },
  {
    ...USUAL,
    name: "claude-desktop",
    title: "Claude Desktop",
    syntax: STRICT_JSON,
    places: placesIn(claudeDesktopPlaces),
    toEntry: (server) => (server.kind === "stdio" ? toStdioMembers(server) : undefined),
    ownMembers: ["command", "args", "env"],
    nextStep: () =>
      "Quit Claude Desktop completely and start it again. Settings > Developer shows the server.",
  },
  {
    ...USUAL,
    name: "cursor",
    title: "Cursor",
    places: placesIn(cursorPlaces, ".cursor", "mcp.json"),
    toEntry: (server) => (server.kind === "stdio" ? toTypedEntry(server) : toUrlMembers(server, "url")),
    nextStep: () => "Restart Cursor, and check in its MCP settings that the server is turned on.",
  },
  {
    ...USUAL,
    name: "vscode",
    title: "VS Code",
    container: "servers",
    places: placesIn(vscodePlaces, ".vscode", "mcp.json"),
    startsScripts: true,
    nextStep: () => 'Run "MCP: List Servers" in VS Code, start the server, and confirm that you trust it.',
  },
  {
    ...USUAL,
    name: "gemini",
    title: "Gemini CLI",
    syntax: { kind: "json", comments: true, trailingCommas: false },
    places: placesIn(geminiPlaces, ".gemini", "settings.json"),
    toEntry: (server) => (server.kind === "stdio" ? toStdioMembers(server) : toUrlMembers(server, "httpUrl")),
    ownMembers: [...JSON_MEMBERS, "httpUrl"],
    startsScripts: true,
    nextStep: (scope) =>
      scope === "user"
        ? "Restart Gemini CLI, and check the server with /mcp."
        : "Start Gemini CLI in this folder, trust the folder if it asks, and check the server with /mcp.",
  },
  {
    name: "goose",
    title: "goose",
    syntax: { kind: "yaml" },
    container: "extensions",
    places: placesIn(goosePlaces),
    toEntry: toGooseEntry,
    toKey: (name) => name.toLowerCase(),
    ownMembers: ["type", "cmd", "args", "envs", "uri", "headers"],
    startsScripts: false,
    nextStep: () => "Start a new goose session. In goose Desktop, Settings > Extensions shows the server.",
  },
  {
    ...USUAL,
    name: "json",
    title: "the JSON file",
    places: () => [],
    nextStep: () => "Restart the client that reads this file.",
  },
];

/** Places of the user's file, and of the file in a project. Without names, the client has no file in projects. */
function placesIn(ofUser: (machine: Machine) => readonly ConfigPlace[], ...names: readonly string[]) {
  return (machine: Machine, scope: Scope): readonly ConfigPlace[] => {
    if (scope === "user") return ofUser(machine);
    return names.length === 0 ? [] : inProject(machine, ...names);
  };
}

function toTypedEntry(server: Server): JsonObject {
  return server.kind === "stdio"
    ? { type: "stdio", ...toStdioMembers(server) }
    : { type: "http", ...toUrlMembers(server, "url") };
}

function toStdioMembers({ command, args, env }: Extract<Server, { kind: "stdio" }>): JsonObject {
  return { command, args, ...toMember("env", env) };
}

function toUrlMembers({ url, headers }: Extract<Server, { kind: "http" }>, member: string): JsonObject {
  return { [member]: url, ...toMember("headers", headers) };
}

function toGooseEntry(server: Server, name: string): JsonObject {
  const members =
    server.kind === "stdio"
      ? { type: "stdio", cmd: server.command, args: server.args, ...toMember("envs", server.env) }
      : { type: "streamable_http", uri: server.url, ...toMember("headers", server.headers) };
  return { enabled: true, name, description: "", ...members, timeout: GOOSE_TIMEOUT };
}

/** Default time limit of goose's extensions in seconds. */
const GOOSE_TIMEOUT = 300;

function toMember(name: string, pairs: Pairs): JsonObject {
  return Object.keys(pairs).length === 0 ? {} : { [name]: pairs };
}
