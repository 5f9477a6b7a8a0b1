/**
 * @fileoverview Agent tool definitions: the description for the model, the parameters, and the function that runs.
 * @module agent/define-tool
 */
import { isJsonObject } from "@tenon/internal/json";
import { describeField, showValue } from "../shared/show-value.js";
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
  /** Sends a status text or a message to the user while the tool runs. */
  readonly postMessage?: ((message: string | object) => void) | undefined;
}

/** Options for `defineTool`. The type of `invoke`'s parameters is inferred from `params`. */
export interface AgentToolSpec<
  TName extends string,
  List extends readonly ToolParam[],
  TResult,
> extends AgentToolDescription<TName> {
  readonly params: List;
  invoke(this: void, context: ToolInvokeContext<ParamsOf<List>>): Promise<ToolOutcome<TResult>>;
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
): ToolDefinition<TName, ParamsOf<List>, TResult> {
  return definition;
}

/** Checks a tool description. Returns its problems, or an empty array if it is valid. */
export function findDescriptionProblems(tool: unknown): readonly string[] {
  if (!isJsonObject(tool)) return [`the definition must be an object; got ${showValue(tool)}`];
  const { name, params, useExamples } = tool;
  const blank = ["name", "description", "whenToUse"].filter((field) => !isFilled(tool[field]));
  return [
    ...blank.map((field) => describeField(field, "a non-empty string", tool[field])),
    ...(Array.isArray(params) ? [] : [describeField("params", "an array", params)]),
    ...(isFilled(name) && !TAG_NAME.test(name) ? [`\`name\` ${TAG_NAME_RULE}; got ${showValue(name)}`] : []),
    ...(Array.isArray(params) ? findParamProblems(params) : []),
    ...(useExamples === undefined || isTexts(useExamples)
      ? []
      : [describeField("useExamples", "an array of strings", useExamples)]),
  ];
}

/** Checks a tool definition. Returns its problems, or an empty array if it is valid. */
export function findToolProblems(tool: unknown): readonly string[] {
  const problems = findDescriptionProblems(tool);
  if (!isJsonObject(tool) || typeof tool.invoke === "function") return problems;
  return [...problems, describeField("invoke", "a function", tool.invoke)];
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
