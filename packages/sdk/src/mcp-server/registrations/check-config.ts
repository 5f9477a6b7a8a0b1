/**
 * @fileoverview Rejects registrations in the wrong form. A schema in place of the configuration would otherwise be
 * ignored, and the callback would receive the wrong arguments.
 * @module sdk/mcp-server/registrations/check-config
 */
import { kindOf } from "@tenon/internal/kind-of";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import { printable } from "@tenon/internal/text";
import type { PromptConfig, ToolConfig } from "../requests/types.js";
import { isSchema } from "./schemas.js";

/** Asserts that `registerTool` received a configuration with known options. */
export function assertToolConfig(name: string, config: unknown): void {
  assertConfig(name, config, TOOL);
}

/** Asserts that `registerPrompt` received a configuration with known options. */
export function assertPromptConfig(name: string, config: unknown): void {
  assertConfig(name, config, PROMPT);
}

/** Asserts that a registration has a callback. @param label start of the error message, such as `Tool "echo"` */
export function assertCallback(label: string, callback: unknown): void {
  if (typeof callback !== "function")
    throw new TypeError(`${label}: the callback must be a function; got ${kindOf(callback)}.`);
}

interface ConfigRule {
  readonly noun: string;
  readonly method: string;
  /** Name of the option for the arguments schema. */
  readonly schema: string;
  readonly names: Readonly<Record<string, true>>;
  readonly aliases: Readonly<Record<string, string>>;
}

const TOOL_NAMES: OptionNames<ToolConfig<undefined, undefined>> = {
  title: true,
  description: true,
  inputSchema: true,
  outputSchema: true,
  annotations: true,
  icons: true,
  _meta: true,
  scopes: true,
  task: true,
};

const TOOL: ConfigRule = {
  noun: "Tool",
  method: "registerTool",
  schema: "inputSchema",
  names: TOOL_NAMES,
  aliases: {
    input: "inputSchema",
    schema: "inputSchema",
    parameters: "inputSchema",
    paramsSchema: "inputSchema",
    output: "outputSchema",
    hints: "annotations",
    meta: "_meta",
    scope: "scopes",
    requiredScopes: "scopes",
    tasks: "task",
    taskSupport: "task",
  },
};

const PROMPT_NAMES: OptionNames<PromptConfig<undefined>> = {
  title: true,
  description: true,
  argsSchema: true,
  icons: true,
  _meta: true,
  scopes: true,
};

const PROMPT: ConfigRule = {
  noun: "Prompt",
  method: "registerPrompt",
  schema: "argsSchema",
  names: PROMPT_NAMES,
  aliases: {
    arguments: "argsSchema",
    args: "argsSchema",
    schema: "argsSchema",
    inputSchema: "argsSchema",
    meta: "_meta",
    scope: "scopes",
    requiredScopes: "scopes",
  },
};

function assertConfig(name: string, config: unknown, rule: ConfigRule): void {
  const { noun, method, schema, names, aliases } = rule;
  const label = `${noun} "${printable(name)}"`;
  const shown = `${method}(${JSON.stringify(printable(name))}`;
  const must = `${label}: the second argument of \`${method}\` must be a configuration`;
  if (isSchema(config) || isRawShape(config, rule)) {
    throw new TypeError(
      `${must}, not a schema. Use ${shown}, { description, ${schema}: schema }, callback).`,
    );
  }
  if (typeof config !== "object" || config === null) {
    throw new TypeError(`${must}; got ${kindOf(config)}. Use ${shown}, {}, callback).`);
  }
  assertKnownOptions(config, { label, names, aliases });
}

/** Recognizes a raw shape: a schema under a name that is not a schema option. */
function isRawShape(config: unknown, { aliases }: ConfigRule): boolean {
  if (typeof config !== "object" || config === null) return false;
  return Object.entries(config).some(
    ([key, value]) => !key.endsWith("Schema") && !Object.hasOwn(aliases, key) && isSchema(value),
  );
}
