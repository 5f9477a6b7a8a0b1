/**
 * @fileoverview Parses the stream parts of AI SDK models, versions 2 to 4. The parts come from a third-party package
 * and are checked like other input.
 * @module agent/models/ai-sdk/ai-sdk-response
 */
import { toBase64 } from "@tenon/internal/base64";
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { toMediaType } from "../history.js";
import { lost, tooLong } from "../model-failures.js";
import {
  type FinishReason,
  type ModelFinish,
  type ModelPiece,
  type ModelUsage,
  toCount,
} from "../model-port.js";
import { type FailureRules, filesTooLarge, malformed, toPartFailure } from "./ai-sdk-failures.js";
import { ResponseRecord } from "./response-record.js";
import { toUsage } from "../openai-usage.js";

/** Limits and helper functions for parsing a response. */
export interface ResponseRules extends FailureRules {
  /** Name of the provider, such as `anthropic.messages`. */
  readonly provider: string;
  /** Maximum number of characters in a response, including reasoning and calls. */
  readonly maxAnswerChars: number;
}

interface OpenCall {
  readonly index: number;
  /** Arguments that have been yielded. */
  text: string;
}

/** Maximum number of base64 characters in all files of a response (15 MB). */
const MAX_FILE_CHARS = 20_000_000;
const MAX_CALLS = 128;
/** Number of parts that a response may have in addition to one per character. */
const MIN_PARTS = 10_000;

/** Parser for one response. Its methods throw `AttemptFailed` if the response is invalid. */
export class AiSdkResponse {
  /** True once the model has sent its finish reason. */
  isFinished = false;
  readonly #record = new ResponseRecord();
  readonly #rules: ResponseRules;
  readonly #calls = new Map<string, OpenCall>();
  /** IDs of calls that the provider runs itself. */
  readonly #foreign = new Set<string>();
  #charsLeft: number;
  #partsLeft: number;
  #fileCharsLeft = MAX_FILE_CHARS;
  /** First half of a surrogate pair that was split between two pieces. */
  #half = "";

  constructor(rules: ResponseRules) {
    this.#rules = rules;
    this.#charsLeft = rules.maxAnswerChars;
    this.#partsLeft = rules.maxAnswerChars + MIN_PARTS;
  }

  /** Parses one stream part. Parts of unknown types are ignored, because versions add types. */
  *read(part: unknown): Generator<ModelPiece> {
    if (!isJsonObject(part)) throw malformed();
    // Empty and ignored parts count too. Otherwise, a model could send them forever.
    if (this.#partsLeft-- === 0) throw tooLong(this.#rules.maxAnswerChars);
    this.#record.note(part);
    yield* this.#readPart(part);
  }

  #readPart(part: JsonObject): Iterable<ModelPiece> {
    switch (part["type"]) {
      case "text-delta":
        return this.#readText(stringOf(part, "delta"));
      case "reasoning-delta":
        return this.#readThought(stringOf(part, "delta"));
      case "tool-input-start":
        return this.#startCall(part, stringOf(part, "id"));
      case "tool-input-delta":
        return this.#growCall(stringOf(part, "id"), stringOf(part, "delta"));
      case "tool-call":
        return this.#endCall(part, stringOf(part, "toolCallId"));
      case "file":
        return this.#readFile(part);
      case "error":
        throw toPartFailure(part["error"], this.#rules);
      case "finish":
        return this.#finish(part);
      default:
        return [];
    }
  }

  *#readText(text: string): Generator<ModelPiece> {
    this.#count(text);
    const known = this.#half + text;
    this.#half = /[\ud800-\udbff]$/.exec(known)?.[0] ?? "";
    const whole = known.slice(0, known.length - this.#half.length);
    if (whole !== "") yield whole;
  }

  *#readThought(think: string): Generator<ModelPiece> {
    this.#count(think);
    if (think !== "") yield { think };
  }

  *#startCall(part: JsonObject, id: string): Generator<ModelPiece> {
    if (part["providerExecuted"] === true) this.#foreign.add(id);
    if (this.#foreign.has(id) || this.#calls.has(id)) return;
    const name = stringOf(part, "toolName");
    if (this.#calls.size === MAX_CALLS) throw malformed();
    this.#count(id + name);
    const index = this.#calls.size;
    this.#calls.set(id, { index, text: "" });
    yield { call: { index, id, name } };
  }

  *#growCall(id: string, delta: string): Generator<ModelPiece> {
    const call = this.#calls.get(id);
    if (call === undefined || delta === "") return;
    this.#count(delta);
    call.text += delta;
    yield { call: { index: call.index, arguments: delta } };
  }

  /** Reads a complete call. Its input replaces nothing: only what has not been streamed yet is added. */
  *#endCall(part: JsonObject, id: string): Generator<ModelPiece> {
    yield* this.#startCall(part, id);
    const call = this.#calls.get(id);
    if (call === undefined) return;
    const input = inputOf(part);
    if (input.startsWith(call.text)) yield* this.#growCall(id, input.slice(call.text.length));
    // Some providers format the complete input differently. Both texts must be JSON then.
    else if (!isJsonObject(readJson(call.text))) throw malformed();
    this.#record.addCall(call.index, part["providerMetadata"]);
  }

  *#readFile(part: JsonObject): Generator<ModelPiece> {
    const file = toFileData(part["data"]);
    if (typeof file === "string") return yield* this.#readText(`\n${file}\n`);
    this.#fileCharsLeft -= file.data.length;
    if (this.#fileCharsLeft < 0) throw filesTooLarge(MAX_FILE_CHARS);
    yield { file: { mediaType: toMediaType(part["mediaType"]), data: file.data } };
  }

  *#finish(part: JsonObject): Generator<ModelPiece> {
    if (isCutOff(part)) throw lost(undefined, this.#rules.redact);
    const finish = toFinish(part, this.#calls.size > 0);
    if (finish.reason === "error") throw toPartFailure(undefined, this.#rules);
    if (this.#half !== "") yield this.#half;
    this.#half = "";
    this.isFinished = true;
    yield { finish: { ...finish, metadata: this.#record.toMetadata(this.#rules.provider) } };
  }

  #count(text: string): void {
    this.#charsLeft -= text.length;
    if (this.#charsLeft < 0) throw tooLong(this.#rules.maxAnswerChars);
  }
}

function stringOf(part: JsonObject, name: string): string {
  const value = part[name];
  if (typeof value !== "string") throw malformed();
  return value;
}

/** Returns the input of a call. The specification requires JSON text, but some providers send an object. */
function inputOf({ input }: JsonObject): string {
  return isJsonObject(input) ? JSON.stringify(input) : typeof input === "string" ? input : "";
}

/**
 * Returns the data of a file as base64, or its URL. URLs are not downloaded. Version 4 wraps the data in an object with
 * a type.
 */
function toFileData(value: unknown): { readonly data: string } | string {
  if (isJsonObject(value) && value["type"] === "url") return toUrl(String(value["url"]));
  const data = isJsonObject(value) && value["type"] === "data" ? value["data"] : value;
  if (data instanceof Uint8Array) {
    if (data.length > MAX_FILE_CHARS) throw filesTooLarge(MAX_FILE_CHARS);
    return { data: toBase64(data) };
  }
  if (typeof data === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(data)) return { data };
  throw malformed();
}

/** Returns the data of a `data:` URL, or any other URL itself. */
function toUrl(url: string): { readonly data: string } | string {
  if (!url.startsWith("data:")) return url;
  const start = url.indexOf(";base64,");
  if (start === -1) throw malformed();
  return toFileData(url.slice(start + ";base64,".length));
}

/** Converts a `finish` part. */
function toFinish(part: JsonObject, hasCalls: boolean): ModelFinish {
  const { finishReason } = part;
  const told = isJsonObject(finishReason) ? finishReason["unified"] : finishReason;
  const reason = REASONS.find((one) => one === told) ?? "other";
  // Some providers report `stop` after tool calls.
  const isCall = hasCalls && (reason === "stop" || reason === "other");
  return { reason: isCall ? "tool-calls" : reason, usage: readUsage(part["usage"]) };
}

/**
 * Returns true if the model sent neither a finish reason nor token counts. Some providers end a response like this after
 * the connection was lost.
 */
function isCutOff({ finishReason, usage }: JsonObject): boolean {
  const isUnknown = isJsonObject(finishReason)
    ? finishReason["unified"] === "other" && (finishReason["raw"] ?? undefined) === undefined
    : finishReason === "unknown";
  return isUnknown && readUsage(usage) === undefined;
}

const REASONS: readonly FinishReason[] = ["stop", "length", "tool-calls", "content-filter", "error", "other"];

function readUsage(usage: unknown): ModelUsage | undefined {
  if (!isJsonObject(usage)) return undefined;
  const { inputTokens: input, outputTokens: output } = usage;
  return toUsage({
    inputTokens: toCount(isJsonObject(input) ? input["total"] : input),
    outputTokens: toCount(isJsonObject(output) ? output["total"] : output),
    reasoningTokens: toCount(isJsonObject(output) ? output["reasoning"] : usage["reasoningTokens"]),
    cachedInputTokens: toCount(isJsonObject(input) ? input["cacheRead"] : usage["cachedInputTokens"]),
  });
}
