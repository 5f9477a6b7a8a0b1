/**
 * @fileoverview Validates the options for every authorization mode. One error reports all invalid options.
 * @module auth/check-options
 */
import { McpError } from "tenon/protocol";
import { kindOf } from "@tenon/internal/kind-of";
import {
  listOptionProblems,
  type OptionTable,
  OTHER_OPTIONS,
  parseOptions,
} from "@tenon/internal/options/define-options";
import { type AuthorizationOptions, type AuthorizationSettings, MODES } from "./options.js";

/**
 * Checks the options and sets the defaults.
 *
 * @throws CONFIGURATION_ERROR listing every invalid option, without secrets
 */
export function parseAuthorization(options: AuthorizationOptions): AuthorizationSettings {
  const problems = [...listProblems(options)];
  if (problems.length > 0) throw configurationError(problems);
  const table: OptionTable = MODES[options.mode];
  return parseOptions(table, options) as AuthorizationSettings; // Safe: the table of the mode
}

/** Creates the error that lists problems. `reason` says in parentheses why the variables are needed. */
export function configurationError(problems: readonly string[], reason = ""): McpError {
  const text = problems.map((problem) => problem.replace(/^u/, "U")).join(" ");
  return new McpError("CONFIGURATION_ERROR", `Invalid authorization configuration${reason}: ${text}`);
}

/**
 * Lists unknown options too. Ignoring a misspelled one could be unsafe: without `audience`, a server in mode "jwt"
 * accepts tokens for other servers.
 */
function* listProblems(options: AuthorizationOptions): Generator<string> {
  // JavaScript callers can pass any mode.
  const { mode } = options as { readonly mode: unknown };
  if (!isMode(mode))
    throw configurationError([
      `\`mode\` must be "none", "jwt", "oauth", or "development"; got ${kindOf(mode)}.`,
    ]);
  const foreign = mode === "development" ? [] : Object.keys(options).filter((name) => !hasOption(mode, name));
  const others = foreign.filter((name) => modesOf(name).length > 0);
  for (const name of others) {
    const modes = modesOf(name).map((other) => `"${other}"`);
    const applies = `It applies to mode${modes.length > 1 ? "s" : ""} ${modes.join(" and ")}.`;
    yield `\`${name}\` is not an option for mode "${mode}". ${applies}`;
  }
  yield* listOptionProblems(MODES[mode], { ...options, [OTHER_OPTIONS]: others });
  if (options.mode === "oauth" && options.resource === undefined && options.audience === undefined)
    yield "`resource` or `audience` is required.";
}

function isMode(value: unknown): value is keyof typeof MODES {
  return typeof value === "string" && Object.hasOwn(MODES, value);
}

/** Returns the production modes that support the option. */
function modesOf(name: string) {
  return (["jwt", "oauth"] as const).filter((mode) => hasOption(mode, name));
}

function hasOption(mode: keyof typeof MODES, name: string): boolean {
  return Object.hasOwn(MODES[mode].rows, name);
}
