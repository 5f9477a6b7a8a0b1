/**
 * @fileoverview Finds tool calls in streamed model text. Text around the calls is passed through, and string
 * parameters are reported while they arrive.
 * @module agent/xml/tool-call-stream
 */
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { callback, flag, integer } from "@tenon/internal/options/option-rows";
import type { JsonObject } from "@tenon/internal/json";
import type { AgentToolDescription } from "../tools/define-tool.js";
import { toolParamsError, toZodIssue, type ValidationError } from "../shared/errors.js";
import { toParamsSchema } from "../tools/tool-schema.js";
import { CallCandidate, type CandidateParts, toCallableTool } from "./call-candidate.js";
import type { CallReader, ParamPath } from "./call-reader.js";
import { isBlank } from "./entities.js";
import { InlineCodeProbe } from "./inline-code-probe.js";
import { MarkdownState } from "./markdown-state.js";

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
  /** Text that the string parameter at `path` has gained. */
  | { readonly type: "delta"; readonly name: string; readonly path: ParamPath; readonly delta: string }
  | { readonly type: "call"; readonly call: ToolCall };

const STREAM_OPTIONS = /* @__PURE__ */ defineOptions("ToolCallStream", {
  /** Maximum number of tags. @default 10000 */
  maxTags: integer({ default: 10_000 }),
  /** Maximum number of characters in all parameters together. @default 1000000 */
  maxLength: integer({ default: 1_000_000 }),
  /**
   * Reports a tool's tag that is not a valid call as a call with an error. By default, such a tag is text.
   * @default false
   */
  reportInvalid: flag({ default: false }),
  /** Called after each piece with the number of characters that the scanner read, including repeated reads. */
  onSteps: callback<(steps: number) => void>(),
});

/** Options for `ToolCallStream`. */
export interface ToolCallStreamOptions extends OptionsOf<typeof STREAM_OPTIONS> {}

/** Text to read. Text that turned out not to be a call is read again. */
interface Source {
  readonly text: string;
  at: number;
  /** True if calls are not searched for, because too much text was read again already. */
  readonly isPlain: boolean;
}

/**
 * Streaming parser for tool calls. The result does not depend on how the text is split into pieces.
 *
 * A call starts at the beginning of a line, outside Markdown code, and contains all required parameters. Any other tag
 * is text.
 */
export class ToolCallStream {
  readonly #parts: CandidateParts;
  readonly #onSteps: ((steps: number) => void) | undefined;
  readonly #sources: Source[] = [];
  #markdown = new MarkdownState();
  #probe: InlineCodeProbe | undefined;
  #candidate: CallCandidate | undefined;
  /** Whitespace after a candidate without its required parameters. */
  #after = "";
  /** The candidate, once its start was reported. */
  #open: { readonly tool: AgentToolDescription; readonly reader: CallReader } | undefined;
  #events: ToolCallEvent[] = [];
  #text = "";
  /** Number of characters that are known to be text or part of a call. */
  #decided = 0;
  #readAgain = 0;
  #steps = 0;
  #firstCallEnd: number | undefined;
  #hasEnded = false;

  constructor(tools: Iterable<AgentToolDescription>, options: ToolCallStreamOptions = {}) {
    const { maxTags, maxLength, reportInvalid, onSteps } = parseOptions(STREAM_OPTIONS, options);
    this.#parts = {
      tools: new Map([...tools].map((tool) => [tool.name, toCallableTool(tool)])),
      limits: { maxTags, maxLength },
      reportsInvalid: reportInvalid,
    };
    this.#onSteps = onSteps;
  }

  /** The open call with the parameters so far. Each access creates a copy. */
  get current(): { readonly name: string; readonly params: JsonObject } | undefined {
    if (this.#open === undefined) return undefined;
    const { tool, reader } = this.#open;
    return { name: tool.name, params: structuredClone(reader.params) };
  }

  /** Number of characters up to the end of the first call. `undefined` until a call has ended. */
  get firstCallEnd(): number | undefined {
    return this.#firstCallEnd;
  }

  /** Parses the next piece. After `finish`, or after a call that exceeded a limit, further pieces are ignored. */
  feed(piece: string): readonly ToolCallEvent[] {
    if (this.#hasEnded) return [];
    const before = this.#steps;
    this.#sources.push({ text: piece, at: 0, isPlain: false });
    this.#readSources();
    this.#onSteps?.(this.#steps - before);
    return this.#takeEvents();
  }

  /** Ends the text. An open call is reported with an error that lists its unclosed tags. */
  finish(): readonly ToolCallEvent[] {
    if (this.#hasEnded) return [];
    const before = this.#steps;
    while (this.#probe !== undefined || this.#candidate !== undefined) {
      this.#finishHeld();
      this.#readSources();
    }
    this.#hasEnded = true;
    this.#onSteps?.(this.#steps - before);
    return this.#takeEvents();
  }

  #readSources(): void {
    for (let source = this.#sources.at(-1); source !== undefined; source = this.#sources.at(-1)) {
      if (source.at >= source.text.length || this.#hasEnded) this.#sources.pop();
      else source.at = this.#read(source);
    }
  }

  /** Reads from a source. Returns the position of the first character that was not read. */
  #read(source: Source): number {
    if (this.#probe !== undefined) return this.#readProbe(this.#probe, source);
    if (this.#candidate === undefined) return this.#readText(source);
    if (this.#candidate.state === "incomplete") return this.#readAfter(this.#candidate, source);
    return this.#readCandidate(this.#candidate, source);
  }

  #readText({ text, at, isPlain }: Source): number {
    let end = at;
    while (end < text.length) {
      const code = text.charCodeAt(end);
      if (code === LESS && !isPlain && this.#markdown.canStartCall) break;
      this.#markdown.next(code);
      end++;
    }
    this.#steps += end - at;
    this.#addText(text.slice(at, end));
    if (end === text.length) return end;
    if (this.#markdown.openSpans === 0) this.#candidate = new CallCandidate(this.#parts);
    else this.#probe = new InlineCodeProbe(this.#markdown, (name) => this.#parts.tools.has(name));
    return end;
  }

  #readProbe(probe: InlineCodeProbe, { text, at }: Source): number {
    let end = at;
    while (end < text.length && probe.outcome === "open") {
      probe.next(text.charAt(end));
      end++;
    }
    this.#steps += end - at;
    if (probe.outcome !== "open") this.#endProbe(probe);
    return end;
  }

  #endProbe(probe: InlineCodeProbe): void {
    this.#probe = undefined;
    if (probe.outcome === "call") {
      this.#markdown.endParagraph();
      if (this.#mayReadAgain(probe.held.length)) {
        this.#sources.push({ text: probe.held, at: 0, isPlain: false });
        return;
      }
    }
    if (probe.outcome === "none") return this.#reject(probe.held);
    this.#markdown = probe.markdown;
    this.#addText(probe.held);
  }

  #readCandidate(candidate: CallCandidate, { text, at }: Source): number {
    const before = candidate.steps;
    const end = candidate.feed(text, at);
    this.#steps += candidate.steps - before;
    if (candidate.state === "rejected") this.#rejectCandidate(candidate.held);
    else if (candidate.state === "started") this.#startCall(candidate);
    else if (candidate.state === "complete") this.#endCall(candidate);
    return end;
  }

  /** Reads the text after a call without its required parameters. Any text but whitespace shows that it is not a call. */
  #readAfter(candidate: CallCandidate, { text, at }: Source): number {
    let end = at;
    while (end < text.length && isBlank(text.charCodeAt(end))) end++;
    this.#steps += end - at;
    this.#after += text.slice(at, end);
    if (end < text.length) this.#rejectCandidate(candidate.held + this.#after);
    return end;
  }

  #finishHeld(): void {
    if (this.#probe !== undefined) {
      this.#probe.finish();
      return this.#endProbe(this.#probe);
    }
    const candidate = this.#candidate;
    if (candidate === undefined) return;
    candidate.finish();
    if (candidate.state === "rejected") return this.#rejectCandidate(candidate.held);
    const after = this.#after;
    this.#endCall(candidate);
    this.#addText(after);
  }

  #rejectCandidate(held: string): void {
    this.#candidate = undefined;
    this.#after = "";
    this.#reject(held);
  }

  /** Treats the first character of a text as text, and reads the rest again, because it may contain a call. */
  #reject(held: string): void {
    const text = held.slice(1);
    const isPlain = !this.#mayReadAgain(text.length);
    this.#addText(held.charAt(0));
    this.#markdown.next(held.charCodeAt(0));
    this.#sources.push({ text, at: 0, isPlain });
  }

  /** Limits how much text is read again, so that the total number of steps is linear. */
  #mayReadAgain(length: number): boolean {
    this.#readAgain += length;
    return this.#readAgain <= MAX_READ_AGAIN * (this.#decided + length + 1);
  }

  #startCall(candidate: CallCandidate): void {
    if (this.#open !== undefined || candidate.opened === undefined) return;
    this.#open = candidate.opened;
    this.#noteText();
    this.#events.push({ type: "start", name: this.#open.tool.name });
  }

  #endCall(candidate: CallCandidate): void {
    this.#startCall(candidate);
    this.#candidate = undefined;
    this.#after = "";
    this.#markdown.skipCall();
    this.#decided += candidate.length;
    this.#firstCallEnd ??= this.#decided;
    this.#hasEnded = candidate.isOverflowed;
    if (this.#open === undefined) return;
    this.#noteDeltas(this.#open);
    this.#events.push({ type: "call", call: checkCall(this.#open.tool, this.#open.reader) });
    this.#open = undefined;
  }

  #takeEvents(): readonly ToolCallEvent[] {
    this.#noteText();
    if (this.#open !== undefined) this.#noteDeltas(this.#open);
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #addText(text: string): void {
    this.#text += text;
    this.#decided += text.length;
  }

  #noteText(): void {
    if (this.#text !== "") this.#events.push({ type: "text", text: this.#text });
    this.#text = "";
  }

  #noteDeltas({ tool, reader }: { readonly tool: AgentToolDescription; readonly reader: CallReader }): void {
    for (const { path, delta } of reader.takeDeltas()) {
      this.#events.push({ type: "delta", name: tool.name, path, delta });
    }
  }
}

const LESS = 0x3c;
/** Text that is read again may be at most this many times as long as the text so far. */
const MAX_READ_AGAIN = 4;

function checkCall({ name, params: list }: AgentToolDescription, reader: CallReader): ToolCall {
  const params: JsonObject = reader.params;
  const outcome = toParamsSchema(list).safeParse(params);
  const wrong = [...reader.issues.map(toZodIssue), ...(outcome.error?.issues ?? [])];
  if (wrong.length > 0) return { name, params, error: toolParamsError(name, wrong) };
  return { name, params: outcome.data ?? {} };
}
