/**
 * @fileoverview Rejects registrations in the wrong form. A schema in place of the configuration would otherwise be
 * ignored, and the callback would receive the wrong arguments.
 * @module sdk/server/registrations/check-config
 */
import { kindOf } from "@tenon/internal/kind-of";
import {
  assertOptions,
  hasValidOptions,
  defineOptions,
  type Option,
  type OptionTable,
} from "@tenon/internal/options/define-options";
import { custom } from "@tenon/internal/options/option-rows";
import { escapeControls, printable } from "@tenon/internal/text";
import type { PromptConfig, ToolConfig } from "../../types.js";
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
  const isWrongForm = isSchema(config) || isRawShape(config, rule);
  // Texts are created only for errors: some applications register all tools for every request.
  if (!isWrongForm && hasValidOptions(table, config)) return;
  const label = `${noun} "${printable(name)}"`;
  const shown = `${method}(${JSON.stringify(printable(name))}`;
  const must = `${label}: the second argument of \`${method}\` must be a configuration`;
  if (isWrongForm) {
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
    ([key, value]) => isSchema(value) && !key.endsWith("Schema") && !Object.hasOwn(table.aliases, key),
  );
}

/** Warns if a tool name contains characters that the MCP specification advises against. */
export function warnAboutToolName(name: string): void {
  const problems = problemsOf(name);
  if (problems.length === 0) return;
  const lines = [
    `Tool name validation warning for "${escapeControls(name)}":`,
    ...problems.map((problem) => `  - ${problem}`),
    "Tool registration will proceed, but this may cause compatibility issues.",
    "Consider updating the tool name to conform to the MCP tool naming standard.",
    `See SEP: Specify Format for Tool Names (${PROPOSAL}) for more details.`,
  ];
  // oxlint-disable-next-line no-console -- as in the official SDK, so that applications find and silence the same calls
  for (const line of lines) console.warn(line);
}

const PROPOSAL = "https://github.com/modelcontextprotocol/modelcontextprotocol/issues/986";
const ALLOWED = "Allowed characters are: A-Z, a-z, 0-9, underscore (_), dash (-), and dot (.)";

/** Names without any problem. */
const FINE = /^\w(?:[\w.-]*\w)?$/;

function problemsOf(name: string): readonly string[] {
  if (FINE.test(name)) return [];
  const parsing = "which may cause parsing issues";
  const invalid = [...new Set(name.replaceAll(/[A-Za-z0-9._-]/gu, ""))];
  const shown = invalid.map((one) => `"${escapeControls(one)}"`).join(", ");
  return [
    ...(name.includes(" ") ? [`Tool name contains spaces, ${parsing}`] : []),
    ...(name.includes(",") ? [`Tool name contains commas, ${parsing}`] : []),
    ...(/^-|-$/u.test(name) ? [`Tool name starts or ends with a dash, ${parsing} in some contexts`] : []),
    ...(/^\.|\.$/u.test(name) ? [`Tool name starts or ends with a dot, ${parsing} in some contexts`] : []),
    ...(invalid.length > 0 ? [`Tool name contains invalid characters: ${shown}`, ALLOWED] : []),
  ];
}
