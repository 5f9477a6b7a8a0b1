/**
 * @fileoverview Reads the configuration that a module declares with its export `config`: a schema whose properties are
 * environment variables. It becomes `user_config` in a bundle and `environmentVariables` in `server.json`.
 * @module cli/bundle/project/declared-config
 */
import { compileSchema, isStandardSchema } from "tenon/host";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { schemaKindOf } from "@tenon/internal/kind-of";
import { isSecretName } from "@tenon/internal/security/secret-names";
import { messageOf } from "@tenon/internal/thrown";
import { oneLine, stripControls } from "@tenon/internal/text";

/** Environment variable that a server reads. */
export interface DeclaredVariable {
  /** Name of the environment variable, such as `WEATHER_API_KEY`. */
  readonly name: string;
  readonly type: "string" | "number" | "boolean" | "directory" | "file";
  readonly title: string;
  readonly description: string;
  /** True if the server does not work without a value. */
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** Default value. Never set for a secret. */
  readonly default?: string | number | boolean;
  /** Allowed values. */
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** Declared variables, or the problems of the declaration. */
export type ConfigCheck =
  | { readonly ok: true; readonly variables: readonly DeclaredVariable[]; readonly note?: string }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Checks the export `config`. A value that is not a schema, such as loaded settings, declares nothing. */
export function checkConfig(config: unknown): ConfigCheck {
  if (config === undefined) return { ok: true, variables: [] };
  if (!isStandardSchema(config) && !isObjectSchema(config))
    return { ok: true, variables: [], note: NOT_A_SCHEMA };
  const schema = toJsonSchema(config);
  if (typeof schema === "string") return { ok: false, problems: [schema] };
  const { properties, required } = schema;
  if (!isJsonObject(properties))
    return { ok: false, problems: ["config must be an object schema, such as z.object({ … })."] };
  const names = Object.keys(properties);
  if (names.length > MAX_VARIABLES)
    return { ok: false, problems: [`config declares too many variables (limit: ${MAX_VARIABLES}).`] };
  const mandatory = new Set<unknown>(Array.isArray(required) ? required : []);
  const outcomes = names.map((name) => checkVariable(name, properties[name], mandatory.has(name)));
  const problems = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.problem]));
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, variables: outcomes.flatMap((outcome) => (outcome.ok ? [outcome.variable] : [])) };
}

/** Returns the key of a variable in `user_config`. */
export function userConfigKey({ name }: Pick<DeclaredVariable, "name">): string {
  return name.toLowerCase();
}

const MAX_VARIABLES = 100;
const NOT_A_SCHEMA =
  "The export `config` is not a schema, so the server declares no configuration. " +
  "To declare it, export an object schema whose properties are environment variables.";

function isObjectSchema(value: unknown): value is JsonObject {
  return isJsonObject(value) && value["type"] === "object" && isJsonObject(value["properties"]);
}

/** Returns the JSON Schema of the values before they are parsed, or the problem. */
function toJsonSchema(config: Parameters<typeof compileSchema>[0]): JsonObject | string {
  if (!isStandardSchema(config)) return config;
  try {
    return compileSchema(config, { label: "config", side: "input" }).jsonSchema;
  } catch (error) {
    return oneLine(messageOf(error) ?? String(error), 500);
  }
}

type VariableCheck =
  | { readonly ok: true; readonly variable: DeclaredVariable }
  | { readonly ok: false; readonly problem: string };

function checkVariable(name: string, schema: unknown, isMandatory: boolean): VariableCheck {
  const label = `config.${oneLine(name, 60)}`;
  if (!/^[A-Z_][A-Z0-9_]{0,99}$/.test(name))
    return { ok: false, problem: `${label} must be named like an environment variable, such as API_KEY.` };
  const given = isJsonObject(schema) ? schema : {};
  const type = typeOf(given);
  if (type === undefined) {
    const must = "must be a schema for a string, a number, or a boolean";
    return { ok: false, problem: `${label} ${must}; got ${schemaKindOf(given)}.` };
  }
  const description = textOf(given["description"]);
  if (description === undefined)
    return { ok: false, problem: `${label} has no description. Add one, such as .describe("…").` };
  const isSecret = isSecretName(name) || given["secret"] === true || given["writeOnly"] === true;
  const choices = choicesOf(given);
  const byDefault = isSecret ? undefined : scalarOf(given["default"]);
  const bounds = type === "number" ? boundsOf(given) : {};
  const variable = {
    name,
    type,
    title: textOf(given["title"]) ?? titleOf(name),
    description,
    // A host asks for a required value even if there is a default.
    isRequired: isMandatory && given["default"] === undefined,
    isSecret,
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(choices === undefined || isSecret ? {} : { choices }),
    ...bounds,
  };
  return { ok: true, variable };
}

/** Returns the type of a variable. Choices without a type are text. */
function typeOf({
  type,
  format,
  enum: choices,
  const: only,
}: JsonObject): DeclaredVariable["type"] | undefined {
  if (type === "integer" || type === "number") return "number";
  if (type === "boolean") return "boolean";
  const isText = type === "string" || (type === undefined && (Array.isArray(choices) || only !== undefined));
  if (!isText) return undefined;
  return format === "directory" || format === "file" ? format : "string";
}

function choicesOf({ enum: choices, const: only }: JsonObject): readonly string[] | undefined {
  const values: readonly unknown[] = only !== undefined ? [only] : Array.isArray(choices) ? choices : [];
  const texts = values.map(scalarOf).filter((value) => value !== undefined);
  return texts.length === 0 ? undefined : texts.map(String);
}

/** Returns the limits of a number. Schema libraries add the limits of safe integers, which say nothing to a user. */
function boundsOf({ minimum, maximum }: JsonObject): Pick<DeclaredVariable, "min" | "max"> {
  const isBound = (value: unknown): value is number =>
    typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  return { ...(isBound(minimum) ? { min: minimum } : {}), ...(isBound(maximum) ? { max: maximum } : {}) };
}

function scalarOf(value: unknown): string | number | boolean | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : undefined;
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === "string" ? stripControls(value).trim() : "";
  return text === "" ? undefined : text.slice(0, MAX_TEXT);
}

const MAX_TEXT = 1_000;
const ACRONYMS = new Set("API DB HTTP HTTPS ID IP JWT MCP SQL SSH TLS URI URL".split(" "));

/** Converts a name to a title: `WEATHER_API_KEY` becomes `Weather API key`. */
function titleOf(name: string): string {
  const words = name.split("_").filter((word) => word !== "");
  const shown = words.map((word) => (ACRONYMS.has(word) ? word : word.toLowerCase())).join(" ");
  return shown.charAt(0).toUpperCase() + shown.slice(1);
}
