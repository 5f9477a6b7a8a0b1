/**
 * @fileoverview What a new project is to be: the choices, their defaults, and whether they go together.
 * @module create-tenon/choices
 */
import { basename } from "node:path";
import { usageError } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/command-line/text";
import { checkPackageName, toPackageName } from "./package-name.js";

/** The transports of the template. */
export const TRANSPORTS = ["stdio", "http"] as const;
/** The ways in that it knows. */
export const AUTH_MODES = ["none", "jwt", "oauth"] as const;
/** The package managers that can install it. */
export const PACKAGE_MANAGERS = ["npm", "pnpm", "yarn", "bun"] as const;

/** A transport of the template. */
export type Transport = (typeof TRANSPORTS)[number];
/** A way in. */
export type AuthMode = (typeof AUTH_MODES)[number];
/** A package manager. */
export type PackageManager = (typeof PACKAGE_MANAGERS)[number];

/** What is settled so far; what is open is asked, or takes its default. */
export interface Preferences {
  readonly name?: string;
  readonly transport?: Transport;
  readonly auth?: AuthMode;
  readonly packageManager?: PackageManager;
  readonly install?: boolean;
  readonly git?: boolean;
}

/** Everything settled. */
export type Choices = Required<Preferences>;

/** Checks what was said. @throws CliError for a name that npm does not take, or for choices that contradict each other */
export function assertPreferences(preferences: Preferences): void {
  const { name, transport, auth } = preferences;
  if (name !== undefined) {
    const problem = describeName(name);
    if (problem !== undefined) throw usageError(problem);
  }
  if (transport === "stdio" && auth !== undefined && auth !== "none") {
    throw usageError(`--auth ${auth} goes with --transport http only: on stdio nobody else can call`);
  }
}

/** What is wrong with a name, in a sentence. */
export function describeName(name: string): string | undefined {
  const check = checkPackageName(name);
  if (check.ok) return undefined;
  const instead = check.suggested === undefined ? "" : `. Try ${check.suggested}`;
  return `"${oneLine(name, 60)}" is no name for a package: ${check.reason}${instead}`;
}

/** The defaults of what is open. */
export function settle(
  preferences: Preferences,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Choices {
  const { auth = "none" } = preferences;
  return {
    name: preferences.name ?? defaultName(folder),
    transport: preferences.transport ?? (auth === "none" ? "stdio" : "http"),
    auth,
    packageManager: preferences.packageManager ?? callingManager(env),
    install: preferences.install ?? true,
    git: preferences.git ?? true,
  };
}

/** The name that a folder suggests. */
export function defaultName(folder: string): string {
  const name = toPackageName(basename(folder));
  return checkPackageName(name).ok ? name : "my-mcp-server";
}

/** The package manager that this program was started by. */
function callingManager(env: Readonly<Record<string, string | undefined>>): PackageManager {
  const agent = env["npm_config_user_agent"] ?? "";
  return PACKAGE_MANAGERS.find((manager) => agent.startsWith(`${manager}/`)) ?? "npm";
}
