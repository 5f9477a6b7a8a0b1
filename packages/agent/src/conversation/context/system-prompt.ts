/**
 * @fileoverview System prompt of the model: its role, its tools, and how to call them.
 * @module agent/conversation/system-prompt
 */
import type { AgentToolDescription } from "../../tools/define-tool.js";
import type { ToolParam } from "../../tools/tool-param.js";

/** Parts of the system prompt. */
export interface SystemPromptParts {
  readonly tools: readonly AgentToolDescription[];
  /** Instructions of the operator. */
  readonly instructions: string;
  readonly toolCalls: "xml" | "native";
}

/** Creates the system prompt. With native calls, the provider describes the tools itself. */
export function createSystemPrompt({ tools, instructions, toolCalls }: SystemPromptParts): string {
  const words = [instructions.trim() || INTRODUCTION, describeWork(tools)];
  if (toolCalls === "xml" && tools.length > 0) words.push(HOW_TO_CALL, "# Tools", ...tools.map(describeTool));
  return words.filter((part) => part !== "").join("\n\n");
}

const INTRODUCTION = "You are an agent that works for a user: you answer, and you act by calling tools.";

const HOW_TO_CALL = [
  "# How to call a tool",
  "Write the tool's name as a tag, and in it a tag for each parameter. Such a call ends your answer: one call, and",
  "nothing after it. Its result comes in the next message, in <tool_result>; never write a result yourself.",
  "What stands between the tags of a text is taken as it is, with < and & and line breaks; leave out an optional",
  "parameter that you do not need. Before a call you may say in a sentence what you do.",
].join("\n");

function describeWork(tools: readonly AgentToolDescription[]): string {
  const has = (name: string) => tools.some((tool) => tool.name === name);
  return [
    "Work step by step, and look at every result before the next step.",
    ...(has("askFollowupQuestion")
      ? ["Where only the user can say how to go on, call askFollowupQuestion."]
      : []),
    ...(has("completionResult") ? ["When the whole task is done, call completionResult."] : []),
    "To a question that needs no tool, just answer.",
  ].join(" ");
}

function describeTool(tool: AgentToolDescription): string {
  const { name, description, whenToUse, params } = tool;
  // Callers without TypeScript may omit the examples.
  const examples = (tool as Partial<AgentToolDescription>).useExamples ?? [];
  const form = [`<${name}>`, ...params.map((param) => showForm(param, "  ")), `</${name}>`];
  return [
    `## ${name}`,
    description,
    `When to use it: ${whenToUse}`,
    params.length === 0 ? "It has no parameters." : ["Parameters:", ...describeParams(params, "")].join("\n"),
    ["Form:", ...form].join("\n"),
    ...examples.map((example) => `Example:\n${example}`),
  ].join("\n");
}

function describeParams(params: readonly ToolParam[], indent: string): readonly string[] {
  return params.flatMap(({ name, description, optional, type = "string", params: inner = [] }) => [
    `${indent}- ${name} (${TYPES[type]}, ${optional ? "optional" : "required"}): ${description}`,
    ...describeParams(inner, `${indent}  `),
  ]);
}

const TYPES = {
  string: "text",
  number: "number",
  boolean: "true or false",
  array: "list, one tag for each element",
  object: "object",
} as const;

function showForm({ name, type, params = [] }: ToolParam, indent: string): string {
  if (params.length === 0)
    return `${indent}<${name}>${type === undefined ? "" : `(${TYPES[type]})`}</${name}>`;
  const inner = params.map((param) => showForm(param, `${indent}  `));
  return [`${indent}<${name}>`, ...inner, `${indent}</${name}>`].join("\n");
}
