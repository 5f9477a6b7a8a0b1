/**
 * @fileoverview Agent tool definitions: the description for the model, the parameters, and the function that runs.
 * @module agent/tools/define-tool
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { showValue } from "@tenon/internal/kind-of";
import type { OutputOf, StandardSchema } from "tenon";
import { isStandardSchema } from "tenon/host";
import type { ToolHints } from "tenon/protocol";
import { type ApprovalPolicy, isApprovalRule } from "./approval-policy.js";
import { describeField, RegistrationError } from "../shared/errors.js";
import type { AgentUser } from "../users/user.js";
import { compileParams } from "./compile-params.js";
import { paramsFromSchema } from "./params-from-schema.js";
import { findParamProblems, type ParamsOf, TAG_NAME, TAG_NAME_RULE, type ToolParam } from "./tool-param.js";

/** Tool description for the model, without the function that runs. */
export interface AgentToolDescription<TName extends string = string> {
  readonly name: TName;
  readonly description: string;
  /** Situations in which the model should call the tool. Included in the system prompt. */
  readonly whenToUse: string;
  readonly params: readonly ToolParam[];
  /** Example calls in XML. Included in the system prompt. */
  readonly useExamples: readonly string[];
  /**
   * JSON Schema of the parameters. Models with native calls receive it, and calls are validated with it. `params` then
   * describes the same parameters as XML tags. If omitted, the schema is derived from `params`.
   */
  readonly inputSchema?: JsonObject | undefined;
  /** Hints about the tool's behavior, such as `readOnlyHint`. Tools of MCP servers that are not trusted have none. */
  readonly annotations?: ToolHints | undefined;
  /**
   * False if the tool must not run while other calls of the same response run.
   * @default true
   */
  readonly parallel?: boolean | undefined;
}

/** Value that a tool returns. */
export interface ToolOutcome<TResult = unknown> {
  /** Text for the model. */
  readonly message: string;
  /** Data for clients and the model. */
  readonly toolResult: TResult;
}

/** Tool definition: the description for the model and the function that runs. */
export interface ToolDefinition<
  TName extends string = string,
  TParams = unknown,
  TResult = unknown,
> extends AgentToolDescription<TName> {
  /** Schema from a library, such as Zod, that validates the parameters. `defineTool` sets it. */
  readonly paramsSchema?: StandardSchema | undefined;
  /**
   * Rule for calls: run them at once, ask the user, or reject them. If omitted, the rule of the conversation options
   * applies.
   */
  readonly approval?: ApprovalPolicy | undefined;
  // Declared as a method because method parameters are bivariant, so tools with different parameters fit in one array.
  invoke(this: void, context: ToolInvokeContext<TParams>): Promise<ToolOutcome<TResult>>;
}

/** Context that a tool receives with each call. */
export interface ToolInvokeContext<TParams = unknown> {
  /** Validated parameters. */
  readonly params: TParams;
  /** Returns the ID of the task that the call belongs to. */
  readonly getCurrentTask: () => string;
  /** Looks up a registered tool by name. */
  readonly getToolFromName: (name: string) => ToolDefinition | undefined;
  /** Aborts when the call is cancelled or times out. */
  readonly signal?: AbortSignal | undefined;
  /** User whose message caused the call, whoever approved it. `undefined` if the server does not identify users. */
  readonly user?: AgentUser | undefined;
  /** Sends a status text or a message to the user while the tool runs. */
  readonly postMessage?: ((message: string | object) => void) | undefined;
}

/** Options for `defineTool`. The type of `invoke`'s parameters is inferred from `params`. */
export interface AgentToolSpec<TName extends string, List extends readonly ToolParam[], TResult>
  extends AgentToolDescription<TName>, Pick<ToolDefinition, "approval"> {
  readonly params: List;
  invoke(this: void, context: ToolInvokeContext<ParamsOf<List>>): Promise<ToolOutcome<TResult>>;
}

/** Options for `defineTool` with a schema for the parameters. */
export interface SchemaToolSpec<TName extends string, Schema extends StandardSchema, TResult> extends Omit<
  AgentToolSpec<TName, readonly ToolParam[], TResult>,
  "params" | "inputSchema" | "invoke"
> {
  /** Schema of an object, such as `z.object({ … })`, from a library that implements Standard JSON Schema. */
  readonly params: Schema;
  invoke(this: void, context: ToolInvokeContext<OutputOf<Schema>>): Promise<ToolOutcome<TResult>>;
}

/**
 * Defines a tool. The type of `params` in `invoke` is inferred from the parameter definitions.
 *
 * @example
 * const shout = defineTool({
 *   name: "shout",
 *   description: "Repeats a text in capital letters",
 *   whenToUse: "When the user is far away",
 *   params: [{ name: "text", optional: false, description: "Text to repeat" }],
 *   useExamples: ["<shout><text>hello</text></shout>"],
 *   invoke: async ({ params }) => ({ message: "Done", toolResult: params.text.toUpperCase() }),
 * });
 */
export function defineTool<const TName extends string, const List extends readonly ToolParam[], TResult>(
  definition: AgentToolSpec<TName, List, TResult>,
): ToolDefinition<TName, ParamsOf<List>, TResult>;
/**
 * Defines a tool whose parameters are described by a schema, such as `z.object({ … })`. Native calls use its JSON Schema,
 * and XML calls use tags that are derived from it.
 *
 * @throws {RegistrationError} if the schema does not describe an object or cannot be converted to JSON Schema
 */
export function defineTool<const TName extends string, Schema extends StandardSchema, TResult>(
  definition: SchemaToolSpec<TName, Schema, TResult>,
): ToolDefinition<TName, OutputOf<Schema>, TResult>;
/**
 * Defines a tool with explicit types, as in `defineTool<"search", { query: string }, string[]>(…)`. The compiler does not
 * compare `TParams` with `params`.
 */
export function defineTool<TName extends string, TParams, TResult>(
  definition: ToolDefinition<TName, TParams, TResult>,
): ToolDefinition<TName, TParams, TResult>;
/** Defines a tool. */
export function defineTool(
  definition: ToolDefinition | SchemaToolSpec<string, StandardSchema, unknown>,
): ToolDefinition {
  return hasSchema(definition) ? withSchema(definition) : definition;
}

function hasSchema(
  definition: ToolDefinition | SchemaToolSpec<string, StandardSchema, unknown>,
): definition is SchemaToolSpec<string, StandardSchema, unknown> {
  // JavaScript callers may pass anything. `register` reports it.
  return isJsonObject(definition) && isStandardSchema(definition.params);
}

function withSchema(definition: SchemaToolSpec<string, StandardSchema, unknown>): ToolDefinition {
  const { name, params: paramsSchema } = definition;
  const label = `Tool definition '${name}' is invalid: \`params\``;
  const { jsonSchema: inputSchema } = compileParams(paramsSchema, label);
  if (inputSchema["type"] !== "object") {
    const got = showValue(inputSchema["type"] ?? "a schema without a type");
    throw new RegistrationError(`${label} must be an array or the schema of an object; got ${got}.`);
  }
  return { ...definition, params: paramsFromSchema(inputSchema), inputSchema, paramsSchema };
}

/** Checks a tool description. Returns its problems, or an empty array if it is valid. */
export function findDescriptionProblems(tool: unknown): readonly string[] {
  if (!isJsonObject(tool)) return [`the definition must be an object; got ${showValue(tool)}`];
  const { name, params, useExamples, inputSchema, parallel } = tool;
  const blank = ["name", "description", "whenToUse"].filter((field) => !isFilled(tool[field]));
  return [
    ...blank.map((field) => describeField(field, "a non-empty string", tool[field])),
    ...(Array.isArray(params) ? [] : [describeField("params", "an array", params)]),
    ...(isFilled(name) && !TAG_NAME.test(name) ? [`\`name\` ${TAG_NAME_RULE}; got ${showValue(name)}`] : []),
    ...(Array.isArray(params) ? findParamProblems(params) : []),
    ...(useExamples === undefined || isTexts(useExamples)
      ? []
      : [describeField("useExamples", "an array of strings", useExamples)]),
    ...(inputSchema === undefined || isJsonObject(inputSchema)
      ? []
      : [describeField("inputSchema", "an object", inputSchema)]),
    ...(parallel === undefined || typeof parallel === "boolean"
      ? []
      : [describeField("parallel", "true or false", parallel)]),
    ...findHintProblems(tool["annotations"]),
  ];
}

function findHintProblems(annotations: unknown): readonly string[] {
  if (annotations === undefined) return [];
  if (!isJsonObject(annotations)) return [describeField("annotations", "an object", annotations)];
  const wrong = Object.entries(annotations).filter(
    ([name, hint]) => name.endsWith("Hint") && hint !== undefined && typeof hint !== "boolean",
  );
  return wrong.map(([name, hint]) => describeField(`annotations.${name}`, "true or false", hint));
}

/** Checks a tool definition. Returns its problems, or an empty array if it is valid. */
export function findToolProblems(tool: unknown): readonly string[] {
  const problems = findDescriptionProblems(tool);
  if (!isJsonObject(tool)) return problems;
  const { invoke, approval } = tool;
  const isPolicy = approval === undefined || typeof approval === "function" || isApprovalRule(approval);
  return [
    ...problems,
    ...(typeof invoke === "function" ? [] : [describeField("invoke", "a function", invoke)]),
    ...(isPolicy ? [] : [describeField("approval", '"auto", "ask", "deny", or a function', approval)]),
  ];
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
