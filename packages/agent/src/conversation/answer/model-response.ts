/**
 * @fileoverview Streams a model response to clients while it arrives, and stores it when it is complete.
 * @module agent/conversation/answer/model-response
 */
import type { ModelMessage, ModelPiece } from "../../models/model-port.js";
import type { ResponseUsage, TaskEntry } from "../../storage/task-entry.js";
import type { AnswerEvent, AnswerReader, FoundCall, ResponseEnd } from "./answer-reader.js";
import { type StreamedType, toAlert, type Transcript } from "../context/transcript.js";

/** Call and the `updateTime` that identifies its card in clients. */
export interface ShownCall {
  readonly call: FoundCall;
  readonly time: number;
}

/** Display mode for a tool's calls while the model writes them. */
export type CallDisplay = "card" | "text" | "hidden";

/** Text that is still arriving. */
interface OpenText extends StartedText {
  text: string;
  /** Text that has not been sent to clients yet. */
  waiting: string;
}

/** Text that an earlier response started. */
export interface StartedText {
  readonly time: number;
  readonly text: string;
}

/** Dependencies for `ModelResponse`. */
export interface ModelResponseParts {
  readonly transcript: Transcript;
  readonly reader: AnswerReader;
  readonly toolbox: { readonly displayModeOf: (toolName: string) => CallDisplay };
  /** Message that the response continues. Clients see one message, and the model sees two. */
  readonly continued?: StartedText | undefined;
}

/** A call that is still arriving. */
interface OpenCall {
  readonly time: number;
  readonly name: string;
  readonly display: CallDisplay;
  /** Number of characters that have arrived so far. */
  size: number;
  shownSize: number;
  shownText: string;
  shownAt: number;
}

const SHOWN_EVERY_MS = 100;

/** Maximum size of a file in the log, in characters of base64. */
const MAX_FILE = 8_000_000;

/** Streams one response to clients and stores it at the end. */
export class ModelResponse {
  readonly #transcript: Transcript;
  readonly #reader: AnswerReader;
  readonly #displayModeOf: (toolName: string) => CallDisplay;
  readonly #continued: StartedText | undefined;
  readonly #texts: Partial<Record<"message" | "think", OpenText>> = {};
  readonly #open = new Map<number, OpenCall>();
  readonly #calls: ShownCall[] = [];
  readonly #files: { readonly mediaType: string; readonly data: string }[] = [];
  #hasBegun = false;
  #flushing: NodeJS.Immediate | undefined;

  constructor({ transcript, reader, toolbox, continued }: ModelResponseParts) {
    this.#transcript = transcript;
    this.#reader = reader;
    this.#displayModeOf = toolbox.displayModeOf;
    this.#continued = continued;
  }

  /** True once the model has sent its first piece. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** True once the response has ended and further pieces are ignored. */
  get isOver(): boolean {
    return this.#reader.isOver;
  }

  /** Complete calls in the response. */
  get calls(): readonly ShownCall[] {
    return this.#calls;
  }

  /** True if the response has no text, no calls, and no files. */
  get isEmpty(): boolean {
    return this.#calls.length === 0 && this.#files.length === 0 && this.text === "";
  }

  /** Text so far and its time, for a response that continues this one. */
  get startedText(): StartedText | undefined {
    return this.#texts.message;
  }

  /** Text for the user, without reasoning and calls. */
  get text(): string {
    return this.#texts.message?.text.trim() ?? "";
  }

  /** Number of characters in the response, including reasoning and calls. */
  get length(): number {
    const { content, calls } = this.#reader;
    const written = calls.reduce((sum, call) => sum + call.arguments.length, content.length);
    return written + (this.#texts.think?.text.length ?? 0);
  }

  /** Reason for the end and token counts, if the model reported them. */
  get end(): ResponseEnd | undefined {
    return this.#reader.end;
  }

  /** Adds a piece and streams it to clients. @throws {ModelError} if the response exceeds a limit */
  take(piece: ModelPiece): void {
    this.#hasBegun = true;
    for (const event of this.#reader.feed(piece)) this.#show(event);
  }

  /** Ends the response, so that its calls are complete. */
  close(): void {
    for (const event of this.#reader.finish()) this.#show(event);
  }

  /** Stores the complete response and the tokens that it used. */
  async finish(usage: ResponseUsage): Promise<void> {
    // A response without calls ends the run, unless it was cut off and continues.
    const isLast = this.#calls.length === 0 && this.end?.reason !== "length" && !this.isEmpty;
    await this.#keep({}, { usage, status: isLast ? "idle" : undefined });
  }

  /** Ends an incomplete or rejected response: stores its text and discards its calls. */
  async breakOff(usage?: ResponseUsage): Promise<void> {
    for (const { time } of [...this.#open.values(), ...this.#calls]) this.#transcript.discard(time);
    await this.#keep({ status: "interrupted" }, { usage });
  }

  /** Discards the response. Clients remove everything that was streamed. */
  discard(): void {
    this.#flush();
    const open = [...Object.values(this.#texts), ...this.#open.values()];
    for (const { time } of open) this.#transcript.discard(time);
  }

  #show(event: AnswerEvent): void {
    switch (event.type) {
      case "text":
        return this.#grow("message", event.text);
      case "think":
        return this.#grow("think", event.text);
      case "begin":
        return this.#begin(event.index, event.name);
      case "grow":
        return this.#growCall(event.index, event.delta.length);
      case "call": {
        const time = this.#open.get(event.index)?.time ?? this.#transcript.nextTime();
        this.#open.delete(event.index);
        this.#calls.push({ call: event.call, time });
        return;
      }
      case "file":
        this.#files.push({ mediaType: event.mediaType, data: event.data });
    }
  }

  #grow(type: "message" | "think", delta: string): void {
    const known = this.#texts[type];
    const before = type === "message" ? this.#continued : undefined;
    // Leading whitespace is not shown.
    const piece = known === undefined && before === undefined ? delta.trimStart() : delta;
    if (piece === "") return;
    const started = before ?? { time: this.#transcript.nextTime(), text: "" };
    const text = known ?? { ...started, waiting: "" };
    this.#texts[type] = text;
    text.text += piece;
    text.waiting += piece;
    // Pieces that arrive in the same event loop turn are sent as one frame.
    this.#flushing ??= setImmediate(() => this.#flush());
  }

  /** Sends all waiting text. */
  #flush(): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    for (const type of ["think", "message"] as const) {
      const text = this.#texts[type];
      if (text === undefined || text.waiting === "") continue;
      this.#stream(type, text.time, { whole: text.text, piece: text.waiting });
      text.waiting = "";
    }
  }

  #begin(index: number, name: string): void {
    this.#flush();
    const display = this.#displayModeOf(name);
    const time = this.#transcript.nextTime();
    const call = { time, name, display, size: 0, shownSize: 0, shownText: "", shownAt: 0 };
    this.#open.set(index, call);
    if (display === "card") this.#streamCard(call, {});
  }

  #growCall(index: number, size: number): void {
    const call = this.#open.get(index);
    if (call === undefined || call.display === "hidden") return;
    call.size += size;
    if (!this.#isWorthShowing(call)) return;
    call.shownSize = call.size;
    call.shownAt = this.#transcript.now();
    const params = this.#reader.paramsOf(index);
    if (call.display === "card") return this.#streamCard(call, params);
    const whole = typeof params["result"] === "string" ? params["result"].trimStart() : "";
    const piece = whole.slice(call.shownText.length);
    call.shownText = whole;
    if (piece !== "") this.#stream("completionResult", call.time, { whole, piece });
  }

  /**
   * Returns true if clients should receive an update of a partial call. Each update contains all parameters, so updates
   * must be rare: the call must have grown by 10%, which limits the total to about 10 times the call's length. If the
   * last update is at least 100 ms old, 2% is enough, which limits the total to about 50 times.
   */
  #isWorthShowing({ size, shownSize, shownAt }: OpenCall): boolean {
    if (size === shownSize) return false;
    if (size >= shownSize * 1.1) return true;
    return size >= shownSize * 1.02 && this.#transcript.now() - shownAt >= SHOWN_EVERY_MS;
  }

  #streamCard({ time, name }: OpenCall, params: object): void {
    const card = { toolName: name, message: "", params, status: "writing", updateTime: time };
    this.#transcript.stream("tool", card);
  }

  #stream(type: StreamedType, updateTime: number, { whole, piece }: { whole: string; piece: string }): void {
    this.#transcript.stream(type, { message: whole, updateTime }, { message: piece });
  }

  async #keep(
    ending: { readonly status?: string },
    task: Pick<TaskEntry, "status" | "usage">,
  ): Promise<void> {
    clearImmediate(this.#flushing);
    const { taskId } = this.#transcript;
    const { think, message } = this.#texts;
    const toData = ({ text, time: updateTime }: OpenText) => {
      return { message: text.trim(), taskId, updateTime, ...ending };
    };
    const keepThought = async () => {
      if (think !== undefined) await this.#transcript.keepAndSend({ type: "think", data: toData(think) });
    };
    const isThoughtFirst = (think?.time ?? 0) < (message?.time ?? Infinity);
    if (isThoughtFirst) await keepThought();
    const answer = { ...task, ...this.#toAnswer(ending.status === undefined) };
    if (message !== undefined) {
      await this.#transcript.keepAndSend({ type: "message", data: toData(message) }, answer);
    } else if (answer.model.content !== "" || answer.model.calls !== undefined) {
      await this.#transcript.keep(answer);
    } else if (task.usage !== undefined) {
      await this.#transcript.keep(task);
    }
    if (!isThoughtFirst) await keepThought();
    await this.#keepFiles();
  }

  /** Stores the files of the response. Files that do not fit into the log are omitted, and users are told so. */
  async #keepFiles(): Promise<void> {
    const { taskId } = this.#transcript;
    for (const file of this.#files) {
      const updateTime = this.#transcript.nextTime();
      if (file.data.length <= MAX_FILE) {
        await this.#transcript.keepAndSend({ type: "file", data: { taskId, ...file, updateTime } });
        continue;
      }
      const message = `A file from the model was omitted because it is too large (limit: ${MAX_FILE} characters).`;
      await this.#transcript.keepAndSend(toAlert(taskId, message, updateTime));
    }
  }

  /** Returns the message to store for the model. Calls are included only if the response is complete. */
  #toAnswer(isWhole: boolean): Pick<TaskEntry, "calls"> & { readonly model: AssistantMessage } {
    const { content, calls, end } = this.#reader;
    const metadata = end?.metadata;
    if (isWhole && calls.length > 0) {
      return { model: { role: "assistant", content, calls, metadata } };
    }
    const [inTags] = isWhole ? this.#calls : [];
    return { model: { role: "assistant", content }, calls: inTags?.call.name };
  }
}

type AssistantMessage = Extract<ModelMessage, { readonly role: "assistant" }>;
