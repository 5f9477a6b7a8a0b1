/**
 * @fileoverview Tools that a conversation can use, and their descriptions for the model. Toolboxes are created once per
 * server.
 * @module agent/conversation/answer/toolbox
 */
import type { ToolDefinition } from "../../tools/define-tool.js";
import type { ToolLookup } from "../../tools/tool-registry.js";
import { ToolService } from "../../tool-service.js";
import { type AnswerReader, NativeAnswerReader, XmlAnswerReader } from "./answer-reader.js";
import { askFollowupQuestion, completionResult } from "../context/built-in-tools.js";
import { type ModelTools, toModelTools } from "../context/model-tools.js";
import { createSystemPrompt } from "../context/system-prompt.js";
import { parseToolParams } from "../../tools/tool-schema.js";
import { ValidationError } from "../../shared/errors.js";
import type { CallDisplay } from "./model-response.js";

/** Tools and system prompt, shared by all top-level tasks or by all subtasks. */
export type Toolbox = ReturnType<typeof createToolbox>;

/** Options for `createToolbox`. */
export interface ToolboxParts {
  readonly registered: readonly ToolDefinition[];
  readonly builtIn: readonly ToolDefinition[];
  /** Built-in tool that runs subtasks. Not available in subtasks. */
  readonly assignTasks?: ToolDefinition;
  readonly instructions: string;
  readonly toolCalls: "xml" | "native";
}

/** Creates a toolbox. A registered tool replaces the built-in tool with the same name. */
export function createToolbox(parts: ToolboxParts) {
  const { registered, builtIn, assignTasks, instructions, toolCalls } = parts;
  const given = assignTasks === undefined ? builtIn : [...builtIn, assignTasks];
  const tools = new Map([...given, ...registered].map((tool) => [tool.name, tool]));
  const all = [...tools.values()];
  const lookup: ToolLookup = { get: (name) => tools.get(name), getAll: () => all };
  const service = new ToolService(lookup);
  const systemPrompt = createSystemPrompt({ tools: all, instructions, toolCalls });
  const { tools: modelTools, names } = toolCalls === "native" ? toModelTools(all) : NO_TOOLS;
  const displayModeOf = (name: string) => DISPLAY_MODES.get(tools.get(name)) ?? "card";
  return {
    service,
    systemPrompt,
    /** Tools for native calls. Empty for XML calls, because the system prompt describes the tools. */
    modelTools,
    /** Creates a parser for the model's next response. */
    createReader: (): AnswerReader =>
      toolCalls === "native" ? new NativeAnswerReader(names) : new XmlAnswerReader(service.createStream()),
    /** Returns a tool, or `undefined` if it does not exist. */
    find: (name: string) => tools.get(name),
    /** Returns true if a tool must not run while other calls run. */
    runsAlone: (name: string) => tools.get(name)?.parallel === false || displayModeOf(name) !== "card",
    /** Validates parameters. Returns `undefined` if they are valid or the tool does not exist. */
    findError: (name: string, params: unknown) => findError(tools.get(name), params),
    /** Returns the display mode for calls to a tool. */
    displayModeOf,
    /** Returns true if a tool runs subtasks. Its calls do not time out, because each subtask has its own limits. */
    delegates: (name: string) => assignTasks !== undefined && tools.get(name) === assignTasks,
  };
}

function findError(tool: ToolDefinition | undefined, params: unknown): ValidationError | undefined {
  if (tool === undefined) return undefined;
  try {
    parseToolParams(tool, params);
    return undefined;
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
}

const NO_TOOLS: ModelTools = { tools: [], names: /* @__PURE__ */ new Map() };

/** The two built-in tools that address the user are shown as messages instead of cards. */
const DISPLAY_MODES = /* @__PURE__ */ new Map<ToolDefinition | undefined, CallDisplay>([
  [completionResult, "text"],
  [askFollowupQuestion, "hidden"],
]);
