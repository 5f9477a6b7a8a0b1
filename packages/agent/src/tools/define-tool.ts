/**
 * @fileoverview Definition of an agent tool: its description for the model, its parameters, and its function.
 * @module agent/define-tool
 */
import { isJsonObject } from "@tenon/internal/json";
import { findParamProblems, type ParamsOf, TAG_NAME, type ToolParam } from "./tool-param.js";

/** Description of a tool for the model, without its function. */
export interface AgentToolDescription<TName extends string = string> {
  readonly name: TName;
  readonly description: string;
  readonly whenToUse: string;
  readonly params: readonly ToolParam[];
  /** Example calls. */
  readonly useExamples: readonly string[];
}

/** Outcome of a tool: a message for the model, and the result. */
export interface ToolOutcome<TResult = unknown> {
  readonly message: string;
  readonly toolResult: TResult;
}

/** A tool: its description and its function. */
export interface ToolDefinition<
  TName extends string = string,
  TParams = unknown,
  TResult = unknown,
> extends AgentToolDescription<TName> {
  // A method, so that tools with different parameters fit in one list.
  invoke(this: void, context: ToolInvokeContext<TParams>): Promise<ToolOutcome<TResult>>;
}

/** Context of a tool call. */
export interface ToolInvokeContext<TParams = unknown> {
  readonly params: TParams;
  /** Returns the id of the task that the call belongs to. */
  readonly getCurrentTask: () => string;
  readonly getToolFromName: (name: string) => ToolDefinition | undefined;
  /** Aborts when the call is cancelled. */
  readonly signal?: AbortSignal | undefined;
  /** Sends progress or a message to the user before the result is available. */
  readonly postMessage?: ((message: string | object) => void) | undefined;
}

/** Input of `defineTool`. The type of the parameters follows from the list. */
export interface AgentToolSpec<
  TName extends string,
  List extends readonly ToolParam[],
  TResult,
> extends AgentToolDescription<TName> {
  readonly params: List;
  invoke(this: void, context: ToolInvokeContext<ParamsOf<List>>): Promise<ToolOutcome<TResult>>;
}

/**
 * Defines a tool. The list of parameters determines the type of `params` in `invoke`.
 *
 * @example
 * const shout = defineTool({
 *   name: "shout",
 *   description: "Says it louder",
 *   whenToUse: "When the user is far away",
 *   params: [{ name: "text", optional: false, description: "What to say" }],
 *   useExamples: ["<shout><text>hello</text></shout>"],
 *   invoke: async ({ params }) => ({ message: "Done", toolResult: params.text.toUpperCase() }),
 * });
 */
export function defineTool<const TName extends string, const List extends readonly ToolParam[], TResult>(
  definition: AgentToolSpec<TName, List, TResult>,
): ToolDefinition<TName, ParamsOf<List>, TResult> {
  return definition;
}

/** Finds problems of a tool description. Returns an empty list if it is valid. */
export function findDescriptionProblems(tool: unknown): readonly string[] {
  if (!isJsonObject(tool)) return ["the definition is not an object"];
  const { name, description, whenToUse, params, useExamples } = tool;
  const missing = [
    ...(isFilled(name) ? [] : ["name"]),
    ...(isFilled(description) ? [] : ["description"]),
    ...(isFilled(whenToUse) ? [] : ["whenToUse"]),
    ...(Array.isArray(params) ? [] : ["params"]),
  ];
  return [
    ...missing.map((field) => `\`${field}\` is missing`),
    ...(isFilled(name) && !TAG_NAME.test(name) ? ["`name` is not a valid tag name"] : []),
    ...(Array.isArray(params) ? findParamProblems(params) : []),
    ...(useExamples === undefined || isTexts(useExamples) ? [] : ["`useExamples` is not a list of strings"]),
  ];
}

/** Finds problems of a tool definition. Returns an empty list if it is valid. */
export function findToolProblems(tool: unknown): readonly string[] {
  const problems = findDescriptionProblems(tool);
  const canWork = isJsonObject(tool) && typeof tool.invoke === "function";
  return canWork ? problems : [...problems, "`invoke` is missing"];
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
