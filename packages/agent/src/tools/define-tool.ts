/**
 * @fileoverview A tool of an agent: what the model reads about it, its parameters, and its work.
 * @module agent/define-tool
 */
import { isJsonObject } from "@tenon/internal/json";
import { findParamProblems, type ParamsOf, TAG_NAME, type ToolParam } from "./tool-param.js";

/** What the model can know of a tool: all of it but the work. */
export interface AgentToolDescription<TName extends string = string> {
  readonly name: TName;
  readonly description: string;
  readonly whenToUse: string;
  readonly params: readonly ToolParam[];
  /** Calls as the model should write them. */
  readonly useExamples: readonly string[];
}

/** What a tool gives back: a sentence for the model, and its result. */
export interface ToolOutcome<TResult = unknown> {
  readonly message: string;
  readonly toolResult: TResult;
}

/** A tool: its description and its work. */
export interface ToolDefinition<
  TName extends string = string,
  TParams = unknown,
  TResult = unknown,
> extends AgentToolDescription<TName> {
  // A method, so that tools of different parameters make one list.
  invoke(this: void, context: ToolInvokeContext<TParams>): Promise<ToolOutcome<TResult>>;
}

/** All that a tool's work is given. */
export interface ToolInvokeContext<TParams = unknown> {
  readonly params: TParams;
  /** The id of the task that the call belongs to. */
  readonly getCurrentTask: () => string;
  readonly getToolFromName: (name: string) => ToolDefinition | undefined;
  /** Aborts when the call is no longer wanted. */
  readonly signal?: AbortSignal | undefined;
  /** Says something to the user before the result is there. */
  readonly postMessage?: ((message: string | object) => void) | undefined;
}

/** What `defineTool` takes: a tool whose parameters follow from its list. */
export interface AgentToolSpec<
  TName extends string,
  List extends readonly ToolParam[],
  TResult,
> extends AgentToolDescription<TName> {
  readonly params: List;
  invoke(this: void, context: ToolInvokeContext<ParamsOf<List>>): Promise<ToolOutcome<TResult>>;
}

/**
 * Defines a tool. `params` of `invoke` are typed by the list of parameters.
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

/** What is wrong with a tool's description, as far as the model can know it; empty where nothing is. */
export function findDescriptionProblems(tool: unknown): readonly string[] {
  if (!isJsonObject(tool)) return ["it is not an object"];
  const { name, description, whenToUse, params, useExamples } = tool;
  const missing = [
    ...(isFilled(name) ? [] : ["name"]),
    ...(isFilled(description) ? [] : ["description"]),
    ...(isFilled(whenToUse) ? [] : ["whenToUse"]),
    ...(Array.isArray(params) ? [] : ["params"]),
  ];
  return [
    ...missing.map((field) => `${field} is missing`),
    ...(isFilled(name) && !TAG_NAME.test(name) ? ["its name cannot be a tag"] : []),
    ...(Array.isArray(params) ? findParamProblems(params) : []),
    ...(useExamples === undefined || isTexts(useExamples) ? [] : ["useExamples is not a list of texts"]),
  ];
}

/** What is wrong with a tool that is to be registered; empty where nothing is. */
export function findToolProblems(tool: unknown): readonly string[] {
  const problems = findDescriptionProblems(tool);
  const canWork = isJsonObject(tool) && typeof tool.invoke === "function";
  return canWork ? problems : [...problems, "invoke is missing"];
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
