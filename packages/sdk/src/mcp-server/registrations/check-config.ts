/**
 * @fileoverview Rejects registrations in the wrong form. A schema in place of the configuration would otherwise be
 * ignored, and the callback would receive the wrong arguments.
 * @module sdk/mcp-server/registrations/check-config
 */
import { kindOf } from "@tenon/internal/kind-of";
import {
  assertOptions,
  defineOptions,
  type Option,
  type OptionTable,
} from "@tenon/internal/options/define-options";
import { custom } from "@tenon/internal/options/option-rows";
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
  readonly table: OptionTable;
}

// Only names are checked here. The types of the options must match the official SDK's, so they are written there.
type RowsOf<Config> = Readonly<Record<keyof Config, Option>>;

const COMMON_ROWS = {
  /** Name for people. */
  title: custom(),
  /** Description for the model or the user. */
  description: custom(),
  /** Icons for clients that show the definition. */
  icons: custom(),
  /** Additional members of the definition. */
  _meta: custom({ aliases: ["meta"] }),
  /** Scopes that a caller must have. */
  scopes: custom({ aliases: ["scope", "requiredScopes"] }),
};

const TOOL: ConfigRule = {
  noun: "Tool",
  method: "registerTool",
  schema: "inputSchema",
  table: /* @__PURE__ */ defineOptions("registerTool", {
    ...COMMON_ROWS,
    /** Schema of the arguments. */
    inputSchema: custom({ aliases: ["input", "schema", "parameters", "paramsSchema"] }),
    /** Schema of the structured result. */
    outputSchema: custom({ aliases: ["output"] }),
    /** Hints for clients, such as `readOnlyHint`. */
    annotations: custom({ aliases: ["hints"] }),
    /** Runs the tool as a task for clients that support tasks. */
    task: custom({ aliases: ["tasks", "taskSupport"] }),
  } satisfies RowsOf<ToolConfig<undefined, undefined>>),
};

const PROMPT: ConfigRule = {
  noun: "Prompt",
  method: "registerPrompt",
  schema: "argsSchema",
  table: /* @__PURE__ */ defineOptions("registerPrompt", {
    ...COMMON_ROWS,
    /** Schema of the arguments. Clients send them as text. */
    argsSchema: custom({ aliases: ["arguments", "args", "schema", "inputSchema"] }),
  } satisfies RowsOf<PromptConfig<undefined>>),
};

function assertConfig(name: string, config: unknown, rule: ConfigRule): void {
  const { noun, method, schema, table } = rule;
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
  assertOptions(table, config, label);
}

/** Recognizes a raw shape: a schema under a name that is not a schema option. */
function isRawShape(config: unknown, { table }: ConfigRule): boolean {
  if (typeof config !== "object" || config === null) return false;
  return Object.entries(config).some(
    ([key, value]) => !key.endsWith("Schema") && !Object.hasOwn(table.aliases, key) && isSchema(value),
  );
}
