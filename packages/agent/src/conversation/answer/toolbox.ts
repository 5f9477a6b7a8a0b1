/**
 * @fileoverview Tools that a conversation can use, and their descriptions for the model. Toolboxes are created once per
 * server.
 * @module agent/conversation/toolbox
 */
import type { ToolDefinition } from "../../tools/define-tool.js";
import type { ModelTool } from "../../models/model-port.js";
import type { ToolLookup } from "../../tools/tool-registry.js";
import { ToolService } from "../../tool-service.js";
import { type AnswerReader, NativeAnswerReader, XmlAnswerReader } from "./answer-reader.js";
import { askFollowupQuestion, completionResult } from "../context/built-in-tools.js";
import { type ModelTools, toModelTools } from "../context/model-tools.js";
import { createSystemPrompt } from "../context/system-prompt.js";
import { toParamsSchema } from "../../tools/tool-schema.js";
import { toolParamsError, type ValidationError } from "../../shared/errors.js";
import type { CallDisplay } from "./model-response.js";

/** Tools and system prompt, shared by all top-level tasks or by all subtasks. */
export interface Toolbox {
  readonly service: ToolService;
  readonly systemPrompt: string;
  /** Tools for native calls. Empty for XML calls, because the system prompt describes the tools. */
  readonly modelTools: readonly ModelTool[];
  /** Creates a parser for the model's next response. */
  readonly createReader: () => AnswerReader;
  /** Validates parameters. Used for built-in tools whose `invoke` is never called. */
  readonly findError: (name: string, params: unknown) => ValidationError | undefined;
  /** Returns the display mode for calls to a tool. */
  readonly displayModeOf: (toolName: string) => CallDisplay;
  /** Returns true if a tool runs subtasks. Its calls do not time out, because each subtask has its own limits. */
  readonly delegates: (toolName: string) => boolean;
}

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
export function createToolbox(parts: ToolboxParts): Toolbox {
  const { registered, builtIn, assignTasks, instructions, toolCalls } = parts;
  const given = assignTasks === undefined ? builtIn : [...builtIn, assignTasks];
  const tools = new Map([...given, ...registered].map((tool) => [tool.name, tool]));
  const all = [...tools.values()];
  const lookup: ToolLookup = { get: (name) => tools.get(name), getAll: () => all };
  const service = new ToolService(lookup);
  const systemPrompt = createSystemPrompt({ tools: all, instructions, toolCalls });
  const { tools: modelTools, names } = toolCalls === "native" ? toModelTools(all) : NO_TOOLS;
  return {
    service,
    systemPrompt,
    modelTools,
    createReader: () =>
      toolCalls === "native" ? new NativeAnswerReader(names) : new XmlAnswerReader(service.createStream()),
    findError(name, params) {
      const tool = tools.get(name);
      const error = tool && toParamsSchema(tool.params).safeParse(params).error;
      return error && toolParamsError(name, error.issues);
    },
    displayModeOf: (name) => DISPLAY_MODES.get(tools.get(name)) ?? "card",
    delegates: (name) => assignTasks !== undefined && tools.get(name) === assignTasks,
  };
}

const NO_TOOLS: ModelTools = { tools: [], names: /* @__PURE__ */ new Map() };

/** The two built-in tools that address the user are shown as messages instead of cards. */
const DISPLAY_MODES = /* @__PURE__ */ new Map<ToolDefinition | undefined, CallDisplay>([
  [completionResult, "text"],
  [askFollowupQuestion, "hidden"],
]);
