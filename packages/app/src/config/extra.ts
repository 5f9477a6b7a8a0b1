/**
 * @fileoverview Reads the application's own environment variables, each validated by a Zod schema.
 * @module app/config/extra
 */
import { isSecretName } from "@tenon/internal/security/secret-names";
import { printable } from "@tenon/internal/text";
import { z } from "zod";
import type { Env } from "./app-config.js";
import { VARIABLES } from "./variables.js";

/** Zod schemas, keyed by variable name. */
export type ExtraShape = z.ZodRawShape;

/** Parsed values, typed by their schemas. */
export type ExtraSettings<Extra extends ExtraShape> = Readonly<z.output<z.ZodObject<Extra>>>;

/** Parsed values, or the problems found. */
export interface ExtraReading {
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

/**
 * Reads and validates the application's own variables.
 *
 * @throws if a name is not a valid environment variable name, or belongs to a standard variable
 */
export function readExtra(shape: ExtraShape, env: Env): ExtraReading {
  const names = Object.keys(shape);
  const taken = new Set<string>(Object.values(VARIABLES).map(({ name }) => name));
  for (const name of names) {
    if (!/^[A-Z_][A-Z0-9_]*$/.test(name))
      throw new Error(
        "`extra` keys must be environment variable names such as API_KEY; " +
          `got ${JSON.stringify(printable(name))}.`,
      );
    if (taken.has(name))
      throw new Error(`\`extra\` must not redefine the standard variable ${name}. Choose a different name.`);
  }
  const given = Object.fromEntries(
    names.flatMap((name) => (isPresent(env[name]) ? [[name, env[name]] as const] : [])),
  );
  const outcome = z.object(shape).safeParse(given);
  if (outcome.success) return { values: outcome.data, problems: [] };
  const problems = outcome.error.issues.map(({ path, message }) => {
    const name = String(path[0] ?? "extra");
    // The schema's message may quote the value, so it is omitted for secrets.
    return Object.hasOwn(given, name)
      ? `${name} is invalid${told(shape, name, message)}.`
      : `${name} is required.`;
  });
  return { values: {}, problems };
}

/** Returns true if the name denotes a secret, or the schema is marked with `meta({ secret: true })`. */
export function isSecret(name: string, schema: unknown): boolean {
  return isSecretName(name) || (schema instanceof z.ZodType && schema.meta()?.["secret"] === true);
}

/** Returns true if a variable has a value. Empty counts as unset, as is usual in shells and container files. */
export function isPresent(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}

const MAX_MESSAGE = 200;

function told(shape: ExtraShape, name: string, message: string): string {
  if (isSecret(name, shape[name])) return "";
  return `: ${message.replace(/\p{Cc}/gu, " ").slice(0, MAX_MESSAGE)}`;
}
