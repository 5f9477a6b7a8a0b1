/**
 * @fileoverview Runs the calls that a model writes. Every failure is returned as a message that the model can act
 * on.
 * @module agent/tool-service
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { McpError } from "tenon/protocol";
import type { ToolDefinition, ToolInvokeContext } from "./tools/define-tool.js";
import { toolParamsError, toZodIssue, ValidationError } from "./shared/errors.js";
import type { ToolLookup } from "./tools/tool-registry.js";
import { parseToolParams } from "./tools/tool-schema.js";
import { untilAborted } from "./shared/until-aborted.js";
import { type ToolCall, ToolCallStream, type ToolCallStreamOptions } from "./xml/tool-call-stream.js";

/** Context of a call besides its text. */
type ToolSurroundings = Pick<ToolInvokeContext, "getCurrentTask" | "signal" | "postMessage">;

/** A call as the model wrote it. */
export interface XmlToolRequest extends ToolSurroundings {
  readonly xmlParams: string;
}

/** A parsed call. */
export interface ToolRequest extends ToolSurroundings {
  readonly name: string;
  readonly params: unknown;
}

/** Outcome of a call. */
export interface ToolRun {
  /** Message for the model. For unexpected errors it says only that the tool failed. */
  readonly message: string;
  /** Validated parameters. If they are invalid, the parameters as far as they could be read. */
  readonly params: JsonObject;
  /** Result of the tool. Undefined if there is an error. */
  readonly toolResult: unknown;
  /** Error for the log. Its `cause` is the error that the tool threw. */
  readonly error?: Error;
}

/** Parses and runs calls of registered tools. */
export class ToolService {
  readonly #tools: ToolLookup;
  readonly #options: ToolCallStreamOptions;

  constructor(tools: ToolLookup, options: ToolCallStreamOptions = {}) {
    this.#tools = tools;
    this.#options = options;
  }

  /** Creates a stream that finds calls of the registered tools in streamed text. */
  createStream(): ToolCallStream {
    return new ToolCallStream(this.#tools.getAll(), this.#options);
  }

  /** Parses the one call in a text and runs it. Never throws. */
  async parseAndExecute(request: XmlToolRequest): Promise<ToolRun> {
    const { xmlParams, ...surroundings } = request;
    if (typeof xmlParams !== "string") return fail(this.#describeNoCall(""));
    const stream = this.createStream();
    const calls = [...stream.feed(xmlParams), ...stream.finish()].flatMap((event) =>
      event.type === "call" ? event.call : [],
    );
    const [call] = calls;
    if (call === undefined) return fail(this.#describeNoCall(xmlParams));
    if (calls.length > 1) return fail(describeSeveral(calls), call.params);
    if (call.error !== undefined) return fail(call.error, call.params);
    return this.execute({ ...surroundings, name: call.name, params: call.params });
  }

  /** Validates the parameters of a call and runs it. Never throws. */
  async execute({ name, params, ...surroundings }: ToolRequest): Promise<ToolRun> {
    const tool = this.#tools.get(name);
    if (tool === undefined) return fail(this.#describeUnknown(name));
    const checked = checkParams(tool, params);
    if (checked instanceof ValidationError) return fail(checked, isJsonObject(params) ? params : {});
    const { signal } = surroundings;
    try {
      signal?.throwIfAborted();
      const getToolFromName = (other: string) => this.#tools.get(other);
      const work = tool.invoke({ ...surroundings, params: checked, getToolFromName });
      const outcome = await (signal === undefined ? work : untilAborted(work, signal));
      if (typeof Object(outcome).message !== "string") throw new TypeError("The tool returned no `message`.");
      return { message: outcome.message, params: checked, toolResult: outcome.toolResult };
    } catch (cause) {
      return fail(new Error(describeFailure(name, cause, signal), { cause }), checked);
    }
  }

  #describeNoCall(text: string): string {
    const [, name] = /<([A-Za-z_][\w.-]{0,127})(?=[\s/>])/.exec(text) ?? [];
    return name === undefined ? `There is no tool call. ${this.#listTools()}` : this.#describeUnknown(name);
  }

  #describeUnknown(name: string): string {
    return `Tool '${name.slice(0, MAX_NAME)}' does not exist. ${this.#listTools()}`;
  }

  #listTools(): string {
    const names = this.#tools.getAll().map(({ name }) => name);
    if (names.length === 0) return "There are no tools.";
    const rest = names.length > MAX_LISTED ? `, … and ${names.length - MAX_LISTED} more` : "";
    return `Available: ${names.slice(0, MAX_LISTED).join(", ")}${rest}`;
  }
}

const UNREADABLE = toZodIssue({ path: [], message: "The parameters cannot be read" });
const MAX_NAME = 128;
const MAX_LISTED = 50;

function fail(what: Error | string, params: JsonObject = {}): ToolRun {
  const error = typeof what === "string" ? new Error(what) : what;
  return { message: error.message, params, toolResult: undefined, error };
}

function checkParams(tool: ToolDefinition, params: unknown): JsonObject | ValidationError {
  try {
    const checked = parseToolParams(tool, params);
    return isJsonObject(checked) ? checked : {};
  } catch (error) {
    // Other errors were thrown by the value itself, such as a getter or a proxy.
    return error instanceof ValidationError ? error : toolParamsError(tool.name, [UNREADABLE]);
  }
}

function describeSeveral(calls: readonly ToolCall[]): string {
  const names = calls.slice(0, MAX_LISTED).map(({ name }) => name);
  return `There are ${calls.length} tool calls (${names.join(", ")}), and none was executed. Write one at a time.`;
}

/** Only errors that are written for the model are shown to it. */
function describeFailure(name: string, cause: unknown, signal: AbortSignal | undefined): string {
  if (signal?.aborted === true) return `Tool '${name}' was cancelled`;
  const isMeant = cause instanceof McpError || cause instanceof ValidationError;
  return isMeant ? `Tool '${name}' failed: ${cause.message}` : `Tool '${name}' failed`;
}
