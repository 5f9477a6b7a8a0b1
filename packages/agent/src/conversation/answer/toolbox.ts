/**
 * @fileoverview All that a conversation can call, and what its model is told of it: made once, when the server is.
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

/** What a conversation calls tools with. */
export interface Toolbox {
  readonly service: ToolService;
  readonly systemPrompt: string;
  /** For native calls; none where they stand in the system prompt. */
  readonly modelTools: readonly ModelTool[];
  readonly createReader: () => AnswerReader;
  /** What is wrong with the parameters of a call that no tool will check. */
  readonly findError: (name: string, params: unknown) => ValidationError | undefined;
  readonly displayModeOf: (toolName: string) => CallDisplay;
  /** Whether a tool is the one that gives parts of a task away: those end by themselves, each in its own time. */
  readonly delegates: (toolName: string) => boolean;
}

/** What a toolbox is made of. */
export interface ToolboxParts {
  readonly registered: readonly ToolDefinition[];
  readonly builtIn: readonly ToolDefinition[];
  /** The built-in one that gives parts of a task away. */
  readonly assignTasks?: ToolDefinition;
  readonly instructions: string;
  readonly toolCalls: "xml" | "native";
}

/** Puts registered and built-in tools together; a registered one takes the place of a built-in one of its name. */
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

/** The two tools that speak to the user have messages of their own. */
const DISPLAY_MODES = /* @__PURE__ */ new Map<ToolDefinition | undefined, CallDisplay>([
  [completionResult, "text"],
  [askFollowupQuestion, "hidden"],
]);
