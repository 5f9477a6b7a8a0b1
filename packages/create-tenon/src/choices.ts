/**
 * @fileoverview Project options, their defaults, and the combinations that are not allowed.
 * @module create-tenon/choices
 */
import { basename } from "node:path";
import { usageError } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/text";
import { checkPackageName, toPackageName } from "./package-name.js";
import type { Template } from "./templates.js";

/** Transports that a project can be set to. */
export const TRANSPORTS = ["stdio", "http"] as const;
/** Authorization modes that a project can be set to. */
export const AUTH_MODES = ["none", "jwt", "oauth"] as const;
/** Package managers that can install the project. */
export const PACKAGE_MANAGERS = ["npm", "pnpm", "yarn", "bun"] as const;

/** A transport that a project can be set to. */
export type Transport = (typeof TRANSPORTS)[number];
/** An authorization mode that a project can be set to. */
export type AuthMode = (typeof AUTH_MODES)[number];
/** A package manager that can install the project. */
export type PackageManager = (typeof PACKAGE_MANAGERS)[number];

/** Options set by flags. The user is asked for the others, or they get their defaults. */
export interface Preferences {
  readonly name?: string | undefined;
  readonly transport?: Transport | undefined;
  readonly auth?: AuthMode | undefined;
  readonly packageManager?: PackageManager | undefined;
  readonly install?: boolean | undefined;
  readonly git?: boolean | undefined;
}

/** Settings that are written to `.env`. */
export interface Settings {
  readonly transport: Transport;
  readonly auth: AuthMode;
}

/** Complete project options. */
export interface Choices {
  readonly name: string;
  /** `undefined` if the template does not read settings from `.env`. */
  readonly settings: Settings | undefined;
  readonly packageManager: PackageManager;
  readonly install: boolean;
  readonly git: boolean;
}

/** A project to create: the options set so far, and the values that defaults are derived from. */
export interface ProjectRequest {
  readonly preferences: Preferences;
  /** Absolute path of the folder to create. */
  readonly folder: string;
  /** True if the template reads settings from `.env`. */
  readonly hasSettings: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Asserts that options are valid. @throws {CliError} for an invalid name or conflicting options */
export function assertPreferences({ name, transport, auth }: Preferences): void {
  if (name !== undefined) {
    const problem = describeNameProblem(name);
    if (problem !== undefined) throw usageError(problem);
  }
  if (transport === "stdio" && auth !== undefined && auth !== "none") {
    throw usageError(
      `--auth ${auth} requires --transport http. Over stdio, only the process that started the server can call it.`,
    );
  }
}

/** Returns the flag that sets a setting, or `undefined` if no flag does. */
export function settingFlagOf({ transport, auth }: Preferences): "--transport" | "--auth" | undefined {
  if (transport !== undefined) return "--transport";
  return auth === undefined ? undefined : "--auth";
}

/** Asserts that a template has the settings that flags set. @throws {CliError} with the template to use */
export function assertSettingsApply(preferences: Preferences, template: Template): void {
  const flag = settingFlagOf(preferences);
  if (flag === undefined || template.hasSettings) return;
  throw usageError(
    template.name === undefined
      ? `${flag} applies only to templates with a .env.example file, which ${template.folder} does not contain.`
      : `${flag} applies only to the template app. Add --template app, or remove ${flag}.`,
  );
}

/** Returns an error message for a name that npm does not accept, or `undefined` for a valid name. */
export function describeNameProblem(name: string): string | undefined {
  const check = checkPackageName(name);
  if (check.ok) return undefined;
  const hint = check.suggested === undefined ? "" : ` Try "${check.suggested}".`;
  return `Invalid package name "${oneLine(name, 60)}": ${check.reason}.${hint}`;
}

/** Sets the remaining options to their defaults. */
export function applyDefaults({ preferences, folder, hasSettings, env }: ProjectRequest): Choices {
  return {
    name: preferences.name ?? toDefaultName(folder),
    settings: hasSettings ? toDefaultSettings(preferences) : undefined,
    packageManager: preferences.packageManager ?? detectPackageManager(env),
    install: preferences.install ?? true,
    git: preferences.git ?? true,
  };
}

/** Sets the remaining settings to their defaults. */
export function toDefaultSettings({ transport, auth = "none" }: Preferences): Settings {
  return { transport: transport ?? (auth === "none" ? "stdio" : "http"), auth };
}

/** Derives a valid package name from a folder's name. */
export function toDefaultName(folder: string): string {
  const name = toPackageName(basename(folder));
  return checkPackageName(name).ok ? name : "my-mcp-server";
}

/** Returns the package manager that ran this command, or `npm`. */
function detectPackageManager(env: ProjectRequest["env"]): PackageManager {
  const agent = env["npm_config_user_agent"] ?? "";
  return PACKAGE_MANAGERS.find((manager) => agent.startsWith(`${manager}/`)) ?? "npm";
}
