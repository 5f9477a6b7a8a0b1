/**
 * @fileoverview Choices for a new project, their defaults, and the combinations that are not allowed.
 * @module create-tenon/choices
 */
import { basename } from "node:path";
import { usageError } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/command-line/text";
import { checkPackageName, toPackageName } from "./package-name.js";

/** Transports that the template supports. */
export const TRANSPORTS = ["stdio", "http"] as const;
/** Authorization modes that the template supports. */
export const AUTH_MODES = ["none", "jwt", "oauth"] as const;
/** Package managers that can install the project. */
export const PACKAGE_MANAGERS = ["npm", "pnpm", "yarn", "bun"] as const;

/** A transport of the template. */
export type Transport = (typeof TRANSPORTS)[number];
/** An authorization mode of the template. */
export type AuthMode = (typeof AUTH_MODES)[number];
/** A package manager. */
export type PackageManager = (typeof PACKAGE_MANAGERS)[number];

/** Choices that the user made with flags. The others are asked for, or get their defaults. */
export interface Preferences {
  readonly name?: string;
  readonly transport?: Transport;
  readonly auth?: AuthMode;
  readonly packageManager?: PackageManager;
  readonly install?: boolean;
  readonly git?: boolean;
}

/** All choices for a project. */
export type Choices = Required<Preferences>;

/** A project to create: the user's choices so far, and the values that defaults are derived from. */
export interface ProjectRequest {
  readonly preferences: Preferences;
  /** Absolute path of the folder to create. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Asserts that the user's choices are valid. @throws CliError for an invalid name, or for choices that contradict each other */
export function assertPreferences({ name, transport, auth }: Preferences): void {
  if (name !== undefined) {
    const problem = describeNameProblem(name);
    if (problem !== undefined) throw usageError(problem);
  }
  if (transport === "stdio" && auth !== undefined && auth !== "none") {
    throw usageError(
      `--auth ${auth} needs --transport http: on stdio, only the process that started the server can call it`,
    );
  }
}

/** Returns an error message for a name that npm does not accept, or `undefined` if it does. */
export function describeNameProblem(name: string): string | undefined {
  const check = checkPackageName(name);
  if (check.ok) return undefined;
  const hint = check.suggested === undefined ? "" : `. Try ${check.suggested}`;
  return `"${oneLine(name, 60)}" is not a valid package name: ${check.reason}${hint}`;
}

/** Fills the choices that are still open with their defaults. */
export function applyDefaults({ preferences, folder, env }: ProjectRequest): Choices {
  const { auth = "none" } = preferences;
  return {
    name: preferences.name ?? toDefaultName(folder),
    transport: preferences.transport ?? (auth === "none" ? "stdio" : "http"),
    auth,
    packageManager: preferences.packageManager ?? detectPackageManager(env),
    install: preferences.install ?? true,
    git: preferences.git ?? true,
  };
}

/** Derives a valid package name from the name of a folder. */
export function toDefaultName(folder: string): string {
  const name = toPackageName(basename(folder));
  return checkPackageName(name).ok ? name : "my-mcp-server";
}

/** Returns the package manager that started this program, or `npm`. */
function detectPackageManager(env: ProjectRequest["env"]): PackageManager {
  const agent = env["npm_config_user_agent"] ?? "";
  return PACKAGE_MANAGERS.find((manager) => agent.startsWith(`${manager}/`)) ?? "npm";
}
