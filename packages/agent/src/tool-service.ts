/**
 * @fileoverview Runs the model's tool calls. Every failure is returned as a message that the model can act on.
 * @module agent/tool-service
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { McpError } from "tenon/protocol";
import type { ToolDefinition, ToolInvokeContext } from "./tools/define-tool.js";
import { toolParamsError, toZodIssue, ValidationError } from "./shared/errors.js";
import type { ToolLookup } from "./tools/tool-registry.js";
import { parseToolParams } from "./tools/tool-schema.js";
import { showValue } from "@tenon/internal/kind-of";
import { untilAborted } from "./shared/until-aborted.js";
import { type ToolCall, ToolCallStream, type ToolCallStreamOptions } from "./xml/tool-call-stream.js";

/** Context that the caller passes on to the tool. */
type ToolSurroundings = Pick<ToolInvokeContext, "getCurrentTask" | "signal" | "postMessage" | "user">;

/** Tool call in XML, as the model wrote it. */
export interface XmlToolRequest extends ToolSurroundings {
  /** Text that contains exactly one call at the start of a line, such as `<shout><text>hello</text></shout>`. */
  readonly xmlParams: string;
}

/** Parsed tool call. */
export interface ToolRequest extends ToolSurroundings {
  readonly name: string;
  /** Parameters, not validated yet. */
  readonly params: unknown;
}

/** Outcome of a tool call. */
export interface ToolRun {
  /** Message for the model. Details of unexpected errors are omitted. */
  readonly message: string;
  /** Validated parameters. For an invalid call, the parameters that could be parsed. */
  readonly params: JsonObject;
  /** Value that the tool returned. `undefined` if the call failed. */
  readonly toolResult: unknown;
  /** Set if the call failed. `cause` is the error that the tool threw. */
  readonly error?: Error;
}

/** Parses and runs calls to registered tools. */
export class ToolService {
  readonly #tools: ToolLookup;
  readonly #options: ToolCallStreamOptions;

  constructor(tools: ToolLookup, options: ToolCallStreamOptions = {}) {
    this.#tools = tools;
    this.#options = options;
  }

  /** Creates a parser that finds calls to the registered tools in streamed text. */
  createStream(): ToolCallStream {
    return new ToolCallStream(this.#tools.getAll(), this.#options);
  }

  /** Parses the single call in a text and runs it. Never rejects: failures are in the returned `error`. */
  async parseAndExecute(request: XmlToolRequest): Promise<ToolRun> {
    const { xmlParams, ...surroundings } = request;
    if (typeof xmlParams !== "string") return fail(this.#describeNoCall(""));
    // The caller expects a call, so an invalid one is an error and not text.
    const stream = new ToolCallStream(this.#tools.getAll(), { ...this.#options, reportInvalid: true });
    const calls = [...stream.feed(xmlParams), ...stream.finish()].flatMap((event) =>
      event.type === "call" ? event.call : [],
    );
    const [call] = calls;
    if (call === undefined) return fail(this.#describeNoCall(xmlParams));
    if (calls.length > 1) return fail(describeSeveral(calls), call.params);
    if (call.error !== undefined) return fail(call.error, call.params);
    return this.execute({ ...surroundings, name: call.name, params: call.params });
  }

  /** Validates a call's parameters and runs the tool. Never rejects: failures are in the returned `error`. */
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
      const { message } = Object(outcome) as { readonly message?: unknown };
      if (typeof message !== "string") {
        throw new TypeError(`A tool must return a string \`message\`; got ${showValue(message)}.`);
      }
      return { message, params: checked, toolResult: outcome.toolResult };
    } catch (cause) {
      return fail(new Error(describeFailure(name, cause, signal), { cause }), checked);
    }
  }

  #describeNoCall(text: string): string {
    const [, name] = /<([A-Za-z_][\w.-]{0,127})(?=[\s/>])/.exec(text) ?? [];
    if (name === undefined) return `The text contains no tool call. ${this.#listTools()}`;
    if (this.#tools.get(name) === undefined) return this.#describeUnknown(name);
    return `The text mentions the tool '${name}' but does not call it. ${WHERE}`;
  }

  #describeUnknown(name: string): string {
    return `Tool '${name.slice(0, MAX_NAME)}' does not exist. ${this.#listTools()}`;
  }

  #listTools(): string {
    const names = this.#tools.getAll().map(({ name }) => name);
    if (names.length === 0) return "No tools are available.";
    const rest = names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more` : "";
    return `Available tools: ${names.slice(0, MAX_LISTED).join(", ")}${rest}.`;
  }
}

const UNREADABLE = toZodIssue({ path: [], message: "Could not read the parameters" });
const WHERE = "A call must be at the start of a line, outside code blocks and inline code.";
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
    // Any other error comes from the value itself: a getter or a proxy that throws.
    return error instanceof ValidationError ? error : toolParamsError(tool.name, [UNREADABLE]);
  }
}

function describeSeveral(calls: readonly ToolCall[]): string {
  const names = calls.slice(0, MAX_LISTED).map(({ name }) => name);
  return `The text contains ${calls.length} tool calls (${names.join(", ")}). None were run. Write one call per response.`;
}

/** Describes a failure to the model. Only `McpError` and `ValidationError` messages are included. */
function describeFailure(name: string, cause: unknown, signal: AbortSignal | undefined): string {
  if (signal?.aborted === true) return `Tool '${name}' was cancelled`;
  const isMeant = cause instanceof McpError || cause instanceof ValidationError;
  return isMeant ? `Tool '${name}' failed: ${cause.message}` : `Tool '${name}' failed`;
}
