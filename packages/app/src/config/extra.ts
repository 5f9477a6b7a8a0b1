/**
 * @fileoverview The application's own variables: a Zod schema for each, read together with those of the standard.
 * @module app/config/extra
 */
import { z } from "zod";
import { isSecretName } from "../logging/secret-names.js";
import type { Env } from "./app-config.js";
import { VARIABLES } from "./variables.js";

/** Schemas by the names of variables. */
export type ExtraShape = z.ZodRawShape;

/** Values that those schemas return. */
export type ExtraSettings<Extra extends ExtraShape> = Readonly<z.output<z.ZodObject<Extra>>>;

/** The values, and what is wrong with them. */
export interface ExtraReading {
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

/**
 * Reads the application's own variables.
 *
 * @throws where a name is not one of an environment variable, or belongs to the standard
 */
export function readExtra(shape: ExtraShape, env: Env): ExtraReading {
  const names = Object.keys(shape);
  const taken = new Set(Object.values(VARIABLES).map(({ name }) => name));
  for (const name of names) {
    if (!/^[A-Z_][A-Z0-9_]*$/.test(name)) throw new Error(`extra: ${name} is no name like API_KEY`);
    if (taken.has(name)) throw new Error(`extra: ${name} belongs to the standard`);
  }
  const given = Object.fromEntries(
    names.flatMap((name) => (isPresent(env[name]) ? [[name, env[name]] as const] : [])),
  );
  const outcome = z.object(shape).safeParse(given);
  if (outcome.success) return { values: outcome.data, problems: [] };
  const problems = outcome.error.issues.map(({ path, message }) => {
    const name = String(path[0] ?? "extra");
    // A schema's own words may quote the value.
    return Object.hasOwn(given, name)
      ? `${name} is wrong${told(shape, name, message)}`
      : `${name} is required`;
  });
  return { values: {}, problems };
}

/** Tells whether a variable is secret, by its name or its schema (`meta({ secret: true })`). */
export function isSecret(name: string, schema: unknown): boolean {
  return isSecretName(name) || (schema instanceof z.ZodType && schema.meta()?.["secret"] === true);
}

/** An empty variable is an absent one: that is how shells and container files take one away. */
export function isPresent(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}

const MAX_MESSAGE = 200;

function told(shape: ExtraShape, name: string, message: string): string {
  if (isSecret(name, shape[name])) return "";
  return `: ${message.replace(/\p{Cc}/gu, " ").slice(0, MAX_MESSAGE)}`;
}
