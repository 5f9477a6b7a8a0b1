/**
 * @fileoverview Finds tool calls in streamed model text. Text around the calls is passed through, and string
 * parameters are reported while they arrive.
 * @module agent/xml/tool-call-stream
 */
import type { JsonObject } from "@tenon/internal/json";
import type { AgentToolDescription } from "../tools/define-tool.js";
import { toolParamsError, toZodIssue, type ValidationError } from "../shared/errors.js";
import { toParamsSchema } from "../tools/tool-schema.js";
import { type CallLimits, CallReader, type ParamPath } from "./call-reader.js";
import { type ObjectPlan, planTool } from "./plan.js";
import { type Place, type Reader, Scanner } from "./scanner.js";

/** Parsed call. It is incomplete if the text ended before its closing tag. */
export interface ToolCall {
  readonly name: string;
  /** Validated parameters. If `error` is set, the parameters that could be parsed. */
  readonly params: JsonObject;
  /** Set if the call is invalid. Such a call must not be executed. */
  readonly error?: ValidationError;
}

/** Text, or a tool call event. */
export type ToolCallEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "start"; readonly name: string }
  | {
      readonly type: "delta";
      readonly name: string;
      readonly path: ParamPath;
      /** Text that the string parameter at `path` has gained. */
      readonly delta: string;
    }
  | { readonly type: "call"; readonly call: ToolCall };

/** Options for `ToolCallStream`. */
export interface ToolCallStreamOptions extends Partial<CallLimits> {
  /** Called after each piece with the number of characters that the scanner read, including repeated reads. */
  readonly onSteps?: ((steps: number) => void) | undefined;
}

interface OpenCall {
  readonly tool: AgentToolDescription;
  readonly reader: CallReader;
}

/** Streaming parser for tool calls. The result does not depend on how the text is split into pieces. */
export class ToolCallStream {
  readonly #tools: ReadonlyMap<string, AgentToolDescription>;
  readonly #plans = new Map<string, ObjectPlan>();
  readonly #limits: CallLimits;
  readonly #onSteps: ((steps: number) => void) | undefined;
  readonly #scanner: Scanner;
  #events: ToolCallEvent[] = [];
  #text = "";
  #open: OpenCall | undefined;
  #hasEnded = false;

  constructor(tools: Iterable<AgentToolDescription>, options: ToolCallStreamOptions = {}) {
    const { maxTags = 10_000, maxLength = 1_000_000, onSteps } = options;
    this.#tools = new Map([...tools].map((tool) => [tool.name, tool]));
    this.#limits = { maxTags, maxLength };
    this.#onSteps = onSteps;
    this.#scanner = new Scanner(this.#createReader());
  }

  /** The open call with the parameters so far. Each access creates a copy. */
  get current(): { readonly name: string; readonly params: JsonObject } | undefined {
    if (this.#open === undefined) return undefined;
    const { tool, reader } = this.#open;
    return { name: tool.name, params: structuredClone(reader.params) };
  }

  /** Parses the next piece. After `finish`, or after a call that exceeded a limit, further pieces are ignored. */
  feed(piece: string): readonly ToolCallEvent[] {
    if (this.#hasEnded) return [];
    const before = this.#scanner.steps;
    this.#scanner.feed(piece);
    this.#onSteps?.(this.#scanner.steps - before);
    return this.#takeEvents();
  }

  /** Ends the text. An open call is reported with an error that lists its unclosed tags. */
  finish(): readonly ToolCallEvent[] {
    if (this.#hasEnded) return [];
    this.#scanner.finish();
    if (this.#open !== undefined) {
      this.#open.reader.finish();
      this.#noteDeltas(this.#open);
      this.#endCall(this.#open);
    }
    this.#hasEnded = true;
    return this.#takeEvents();
  }

  #takeEvents(): readonly ToolCallEvent[] {
    this.#noteText();
    if (this.#open !== undefined) this.#noteDeltas(this.#open);
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #noteText(): void {
    if (this.#text !== "") this.#events.push({ type: "text", text: this.#text });
    this.#text = "";
  }

  #noteDeltas({ tool, reader }: OpenCall): void {
    for (const { path, delta } of reader.takeDeltas()) {
      this.#events.push({ type: "delta", name: tool.name, path, delta });
    }
  }

  #startCall(name: string, isEmpty: boolean): void {
    const tool = this.#tools.get(name);
    if (tool === undefined) return;
    const plan = this.#plans.get(name) ?? planTool(name, tool.params);
    this.#plans.set(name, plan);
    this.#noteText();
    this.#events.push({ type: "start", name });
    this.#open = { tool, reader: new CallReader(plan, this.#limits) };
    if (isEmpty) this.#endCall(this.#open);
  }

  #endCall({ tool, reader }: OpenCall): void {
    this.#open = undefined;
    this.#events.push({ type: "call", call: checkCall(tool, reader) });
  }

  /** Ends the open call if it is complete or has exceeded a limit. */
  #endIfComplete(): void {
    const open = this.#open;
    if (open === undefined || open.reader.state === "open") return;
    this.#hasEnded = open.reader.state === "overflowed";
    this.#noteDeltas(open);
    this.#endCall(open);
  }

  #createReader(): Reader {
    const inside = (act: (reader: CallReader) => void) => {
      if (this.#open === undefined) return;
      act(this.#open.reader);
      this.#endIfComplete();
    };
    return {
      place: (): Place => this.#open?.reader.place ?? "outside",
      knowsTag: (name, isClosing) =>
        this.#open?.reader.knowsTag(name, isClosing) ??
        (!isClosing && !this.#hasEnded && this.#tools.has(name)),
      openTag: (name, raw, isEmpty) => {
        if (this.#open === undefined) this.#startCall(name, isEmpty);
        else inside((reader) => reader.openTag(name, raw, isEmpty));
      },
      closeTag: (name, raw) => inside((reader) => reader.closeTag(name, raw)),
      raw: (text) => {
        if (this.#open !== undefined) inside((reader) => reader.raw(text));
        else if (!this.#hasEnded) this.#text += text;
      },
      exact: (text) => inside((reader) => reader.exact(text)),
      openCdata: () => inside((reader) => reader.openCdata()),
      cdata: (text) => inside((reader) => reader.cdata(text)),
      closeCdata: () => inside((reader) => reader.closeCdata()),
    };
  }
}

function checkCall({ name, params: list }: AgentToolDescription, reader: CallReader): ToolCall {
  const params: JsonObject = reader.params;
  const outcome = toParamsSchema(list).safeParse(params);
  const wrong = [...reader.issues.map(toZodIssue), ...(outcome.error?.issues ?? [])];
  if (wrong.length > 0) return { name, params, error: toolParamsError(name, wrong) };
  return { name, params: outcome.data ?? {} };
}
