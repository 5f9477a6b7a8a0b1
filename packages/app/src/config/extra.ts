/**
 * @fileoverview The application's own variables. Each has a Zod schema and is read together with the standard ones.
 * @module app/config/extra
 */
import { printable } from "@tenon/internal/text";
import { z } from "zod";
import { isSecretName } from "../logging/secret-names.js";
import type { Env } from "./app-config.js";
import { VARIABLES } from "./variables.js";

/** Zod schemas, keyed by variable name. */
export type ExtraShape = z.ZodRawShape;

/** Values produced by the schemas. */
export type ExtraSettings<Extra extends ExtraShape> = Readonly<z.output<z.ZodObject<Extra>>>;

/** Parsed values and validation problems. */
export interface ExtraReading {
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

/**
 * Reads the application's own variables.
 *
 * @throws if a name is not a valid environment variable name, or is used by the standard
 */
export function readExtra(shape: ExtraShape, env: Env): ExtraReading {
  const names = Object.keys(shape);
  const taken = new Set(Object.values(VARIABLES).map(({ name }) => name));
  for (const name of names) {
    if (!/^[A-Z_][A-Z0-9_]*$/.test(name))
      throw new Error(`\`extra\` names must look like API_KEY; got ${JSON.stringify(printable(name))}.`);
    if (taken.has(name))
      throw new Error(`\`extra\` must not redefine the standard variable ${name}. Rename it.`);
  }
  const given = Object.fromEntries(
    names.flatMap((name) => (isPresent(env[name]) ? [[name, env[name]] as const] : [])),
  );
  const outcome = z.object(shape).safeParse(given);
  if (outcome.success) return { values: outcome.data, problems: [] };
  const problems = outcome.error.issues.map(({ path, message }) => {
    const name = String(path[0] ?? "extra");
    // The schema's own message may quote the value, so it is omitted for secrets.
    return Object.hasOwn(given, name)
      ? `${name} is invalid${told(shape, name, message)}.`
      : `${name} is required.`;
  });
  return { values: {}, problems };
}

/** Returns true if a variable is secret, by its name or its schema (`meta({ secret: true })`). */
export function isSecret(name: string, schema: unknown): boolean {
  return isSecretName(name) || (schema instanceof z.ZodType && schema.meta()?.["secret"] === true);
}

/** Returns true if a variable has a value. Shells and container files unset a variable by leaving it empty. */
export function isPresent(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}

const MAX_MESSAGE = 200;

function told(shape: ExtraShape, name: string, message: string): string {
  if (isSecret(name, shape[name])) return "";
  return `: ${message.replace(/\p{Cc}/gu, " ").slice(0, MAX_MESSAGE)}`;
}
