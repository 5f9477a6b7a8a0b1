/**
 * @fileoverview Parses a model's streamed response into reasoning, text, and tool calls. Tool calls arrive
 * either as XML tags in the text or as native calls.
 * @module agent/conversation/answer/answer-reader
 */
import { exceedsDepth, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { toolParamsError, toZodIssue } from "../../shared/errors.js";
import { ModelError, type ModelPiece, type NativeCall } from "../../models/model-port.js";
import { completeJson } from "../../models/partial-json.js";
import type { ToolCall, ToolCallStream } from "../../xml/tool-call-stream.js";
import { ThinkSplitter } from "./think-splitter.js";

/** A complete tool call. */
export interface FoundCall extends ToolCall {
  /** Call ID. Set only for native calls. */
  readonly id?: string | undefined;
}

/** Parsed part of a response. `index` identifies the call. */
export type AnswerEvent =
  | { readonly type: "think" | "text"; readonly text: string }
  | { readonly type: "begin"; readonly index: number; readonly name: string }
  | { readonly type: "grow"; readonly index: number; readonly delta: string }
  | { readonly type: "call"; readonly index: number; readonly call: FoundCall }
  | { readonly type: "file"; readonly mediaType: string; readonly data: string };

/** Last piece of a response: why it ended, and the tokens that it used. */
export type ResponseEnd = Extract<ModelPiece, { readonly finish: unknown }>["finish"];

/** Streaming parser for one response. */
export abstract class AnswerReader {
  /** True once the response has ended and further pieces are ignored. An XML call ends the response. */
  abstract readonly isOver: boolean;
  /** Text that the model wrote, excluding reasoning and incomplete calls. */
  abstract readonly content: string;
  /** Native calls as the model wrote them. */
  abstract readonly calls: readonly NativeCall[];
  readonly #thoughts = new ThinkSplitter();
  #left = MAX_CHARACTERS;
  #filesLeft = MAX_FILE_CHARACTERS;
  #end: ResponseEnd | undefined;

  /** Set if the model said why the response ended. */
  get end(): ResponseEnd | undefined {
    return this.#end;
  }

  /** Parses the next piece. @throws {ModelError} if the response exceeds a limit */
  feed(piece: ModelPiece): readonly AnswerEvent[] {
    this.#count(piece);
    if (typeof piece === "string") return this.#read(this.#thoughts.feed(piece));
    if ("think" in piece) return [{ type: "think", text: piece.think }];
    if ("call" in piece) return this.growCall(piece.call);
    if ("file" in piece) return [{ type: "file", ...piece.file }];
    if (!("finish" in piece)) throw new TypeError("The model sent a piece of an unknown type.");
    this.#end = piece.finish;
    return [];
  }

  /** Ends the response. Returns the remaining events, including native calls. */
  finish(): readonly AnswerEvent[] {
    return [...this.#read(this.#thoughts.finish()), ...this.endCalls()];
  }

  /** Returns the parameters parsed so far for an incomplete call. */
  abstract paramsOf(index: number): JsonObject;

  /** Parses text that is not reasoning. */
  protected abstract readText(text: string): readonly AnswerEvent[];

  /** Parses a part of a native call. */
  protected abstract growCall(part: CallPart): readonly AnswerEvent[];

  /** Ends the calls of the response. */
  protected abstract endCalls(): readonly AnswerEvent[];

  #read(parts: ReturnType<ThinkSplitter["feed"]>): readonly AnswerEvent[] {
    return parts.flatMap(({ isThought, text }): readonly AnswerEvent[] =>
      isThought ? [{ type: "think", text }] : this.readText(text),
    );
  }

  /** Limits the size of a response, including reasoning, calls, and files. */
  #count(piece: ModelPiece): void {
    // Empty pieces count too. Otherwise, a model could send them forever.
    this.#left--;
    if (typeof piece === "string") this.#left -= piece.length;
    else if ("think" in piece) this.#left -= piece.think.length;
    else if ("call" in piece) this.#left -= piece.call.arguments?.length ?? 0;
    else if ("file" in piece) this.#filesLeft -= piece.file.data.length;
    if (this.#left < 0) throw new ModelError(TOO_LONG);
    if (this.#filesLeft < 0) throw new ModelError(FILES_TOO_LARGE);
  }
}

type CallPart = Extract<ModelPiece, { readonly call: unknown }>["call"];

/** Parser for responses with XML calls. */
export class XmlAnswerReader extends AnswerReader {
  readonly calls: readonly NativeCall[] = [];
  readonly #stream: ToolCallStream;
  /** Everything that the model wrote, except reasoning. */
  #written = "";
  /** Text before the first call. */
  #text = "";
  #isOver = false;

  constructor(stream: ToolCallStream) {
    super();
    this.#stream = stream;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * The call is included exactly as the model wrote it, so that it can be parsed again. Text after the call is not,
   * because the model may have invented a result, which must not become part of the conversation.
   */
  get content(): string {
    return this.#isOver ? this.#written.slice(0, this.#stream.firstCallEnd) : this.#text;
  }

  paramsOf(): JsonObject {
    return this.#stream.current?.params ?? {};
  }

  protected readText(text: string): readonly AnswerEvent[] {
    if (this.#isOver) return [];
    this.#written += text;
    return this.#take(this.#stream.feed(text));
  }

  protected growCall(): never {
    throw new TypeError(
      'The model sent a native tool call, but `toolCalls` is set to "xml". Set `toolCalls` to "native".',
    );
  }

  protected endCalls(): readonly AnswerEvent[] {
    return this.#isOver ? [] : this.#take(this.#stream.finish());
  }

  #take(found: ReturnType<ToolCallStream["feed"]>): readonly AnswerEvent[] {
    const events: AnswerEvent[] = [];
    for (const event of found) {
      if (this.#isOver) break;
      if (event.type === "text") {
        this.#text += event.text;
        events.push(event);
      } else if (event.type === "start") events.push({ type: "begin", index: 0, name: event.name });
      else if (event.type === "delta") events.push({ type: "grow", index: 0, delta: event.delta });
      else {
        events.push({ type: "call", index: 0, call: event.call });
        this.#isOver = true;
      }
    }
    return events;
  }
}

/** Parser for responses with native calls. */
export class NativeAnswerReader extends AnswerReader {
  readonly isOver = false;
  readonly #names: ReadonlyMap<string, string>;
  readonly #calls = new Map<number, NativeCall>();
  #text = "";

  /** @param names maps the names that the model sees to tool names */
  constructor(names: ReadonlyMap<string, string>) {
    super();
    this.#names = names;
  }

  get content(): string {
    return this.#text;
  }

  get calls(): readonly NativeCall[] {
    return [...this.#calls.values()].filter(({ name }) => name !== "");
  }

  paramsOf(index: number): JsonObject {
    const value = completeJson(this.#calls.get(index)?.arguments ?? "");
    return isJsonObject(value) ? value : {};
  }

  protected readText(text: string): readonly AnswerEvent[] {
    this.#text += text;
    return [{ type: "text", text }];
  }

  protected growCall({ index, id, name, arguments: delta = "" }: CallPart): readonly AnswerEvent[] {
    const known = this.#calls.get(index);
    if (known === undefined && this.#calls.size === MAX_CALLS) throw new ModelError(TOO_MANY);
    const isPart = typeof index === "number" && [id, name, delta].every(isTextOrNothing);
    if (!isPart)
      throw new TypeError(
        "The model sent a malformed native tool call. `index` must be a number, and the other fields must be strings.",
      );
    const call = {
      id: known?.id ?? this.#findId(id, index),
      name: known?.name || name || "",
      arguments: (known?.arguments ?? "") + delta,
    };
    this.#calls.set(index, call);
    // A call is not shown until its tool name has arrived.
    if (call.name === "") return [];
    if (known?.name) return [{ type: "grow", index, delta }];
    return [
      { type: "begin", index, name: this.#nameOf(call) },
      { type: "grow", index, delta: call.arguments },
    ];
  }

  protected endCalls(): readonly AnswerEvent[] {
    const calls = [...this.#calls].filter(([, { name }]) => name !== "");
    return calls.map(([index, call]) => ({ type: "call", index, call: this.#check(call) }));
  }

  /** Returns the given ID, or a new one if it is missing or already used. IDs must be unique, because results refer to calls by ID. */
  #findId(given: string | undefined, index: number): string {
    const taken = new Set([...this.#calls.values()].map(({ id }) => id));
    if (given !== undefined && given !== "" && !taken.has(given)) return given;
    let id = `call_${index}`;
    for (let count = 2; taken.has(id); count++) id = `call_${index}_${count}`;
    return id;
  }

  #nameOf({ name }: NativeCall): string {
    return this.#names.get(name) ?? name;
  }

  /** Parses a call's arguments. The values are validated when the tool runs. */
  #check(call: NativeCall): FoundCall {
    const name = this.#nameOf(call);
    const isDeep = exceedsDepth(call.arguments, MAX_DEPTH);
    const isBlank = call.arguments.trim() === "";
    // A response that was cut off after the name of the tool has no arguments either.
    const isCutOff = isBlank && this.end?.reason === "length";
    const params = isBlank ? {} : isDeep ? undefined : readJson(call.arguments);
    if (isJsonObject(params) && !isCutOff) return { name, params, id: call.id };
    const problem = isCutOff ? "The response was cut off before the arguments" : NOT_AN_OBJECT;
    const error = toolParamsError(name, [toZodIssue({ path: [], message: isDeep ? TOO_DEEP : problem })]);
    return { name, params: {}, id: call.id, error };
  }
}

const MAX_CALLS = 32;
const NOT_AN_OBJECT = "The arguments must be a JSON object";

function isTextOrNothing(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

/** Maximum size of a response. Each character and each piece counts as one. */
const MAX_CHARACTERS = 1_000_000;
/** Maximum size of all files in a response, in characters of base64. */
const MAX_FILE_CHARACTERS = 32_000_000;
const MAX_DEPTH = 32;
const TOO_DEEP = `The arguments are nested deeper than ${MAX_DEPTH} levels`;
const TOO_MANY = `The model called too many tools in one response (limit: ${MAX_CALLS}).`;
const FILES_TOO_LARGE = `The files in the model's response are too large (limit: ${MAX_FILE_CHARACTERS} characters).`;
const TOO_LONG = `The model's response is too long (limit: ${MAX_CHARACTERS} characters).`;
