/**
 * @fileoverview Describes every environment variable, as data and as help text.
 * @module app/config/describe-config
 */
import { z } from "zod";
import { type ExtraShape, isSecret } from "./extra.js";
import { type Variable, VARIABLES } from "./variables.js";

/** Description of one environment variable. */
export interface VariableDescription {
  readonly name: string;
  /** Default value as text, or `undefined` if the variable is empty by default. */
  readonly default: string | undefined;
  /** Short description for the help text. */
  readonly meaning: string;
  /** True if loading fails when the variable is unset. */
  readonly required: boolean;
  /** True if the value is redacted in logs and errors. */
  readonly secret: boolean;
}

/** Describes the standard variables, followed by the application's own variables. */
export function describeConfig(
  options: { readonly extra?: ExtraShape } = {},
): readonly VariableDescription[] {
  const standard = Object.values<Variable>(VARIABLES).map(
    ({ name, fallback, otherwise, meaning, secret = false }) => ({
      name,
      default: fallback ?? otherwise,
      meaning,
      required: false,
      secret,
    }),
  );
  const extra = Object.entries(options.extra ?? {}).map(([name, schema]) => describeExtra(name, schema));
  return [...standard, ...extra];
}

/**
 * Returns the help text, with one line per variable that shows its name, default, and meaning.
 *
 * @example if (help !== undefined) process.stdout.write(`${help}\n\n${appConfigHelp({ extra })}\n`);
 */
export function appConfigHelp(options: { readonly extra?: ExtraShape } = {}): string {
  const rows = describeConfig(options).map(({ name, default: byDefault, meaning, required, secret }) => [
    name,
    required ? "(required)" : (byDefault ?? ""),
    secret ? `${meaning} (secret)` : meaning,
  ]);
  const table = [["Environment", "Default", "Meaning"], ...rows];
  const [first = 0, second = 0] = [0, 1].map((column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  const lines = table.map(([name = "", byDefault = "", meaning = ""]) =>
    `  ${name.padEnd(first)}  ${byDefault.padEnd(second)}  ${meaning}`.trimEnd(),
  );
  return ["An empty variable is treated as unset.", "", ...lines].join("\n");
}

/** Describes one of the application's own variables. A variable is required if its schema rejects `undefined`. */
function describeExtra(name: string, schema: unknown): VariableDescription {
  const secret = isSecret(name, schema);
  const type = schema instanceof z.ZodType ? schema : z.unknown();
  const outcome = type.safeParse(undefined);
  const byDefault = outcome.success && outcome.data !== undefined ? JSON.stringify(outcome.data) : undefined;
  return {
    name,
    default: secret ? undefined : byDefault?.replace(/^"(.*)"$/, "$1"),
    meaning: type.description ?? "",
    required: !outcome.success,
    secret,
  };
}
