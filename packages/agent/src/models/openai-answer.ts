/**
 * @fileoverview Parses responses from OpenAI-compatible servers, including known deviations from OpenAI's format.
 * @module agent/models/openai-answer
 */
import { exceedsDepth, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { notUnderstood, toBrokenAnswer, tooLong } from "./model-failures.js";
import type { FinishReason, ModelPiece, ModelUsage } from "./model-port.js";
import { readUsage } from "./openai-usage.js";

/** Limits and helper functions for parsing a response. */
export interface AnswerRules {
  /** Maximum number of characters in a response, including reasoning and calls. */
  readonly maxAnswerChars: number;
  /** Removes secrets from untrusted text. */
  readonly redact: (text: string) => string;
  /** Creates an ID for a call that the server sent without one. */
  readonly createId: () => string;
}

/** Parser for one response. Its methods throw `AttemptFailed` if the response is invalid. */
export class OpenAiAnswer {
  /** True once the server has sent a finish reason. */
  isFinished = false;
  /** True once the server has sent `[DONE]`. */
  isDone = false;
  readonly #rules: AnswerRules;
  /** Calls by index: the ID as the server sent it, and a flag that is set once the name has arrived. */
  readonly #calls = new Map<number, { id: string; hasName: boolean }>();
  #left: number;
  #reason: FinishReason | undefined;
  #usage: ModelUsage | undefined;
  /** First half of a surrogate pair that was split between two pieces. */
  #half = "";

  constructor(rules: AnswerRules) {
    this.#rules = rules;
    this.#left = rules.maxAnswerChars;
  }

  /** Parses the data of one server-sent event. */
  *readEvent(data: string): Generator<ModelPiece> {
    if (data.trim() === "[DONE]") {
      this.isDone = true;
    } else if (data.trim() !== "") yield* this.#readChunk(this.#parse(data));
  }

  /** Parses a complete response from a server that does not stream. */
  *readWhole(text: string): Generator<ModelPiece> {
    const answer = this.#parse(text);
    yield* this.#readChunk(answer);
    if (!Array.isArray(answer["choices"])) throw notUnderstood();
    yield* this.flush();
    yield* this.finish();
  }

  #parse(text: string): JsonObject {
    const value = exceedsDepth(text, MAX_DEPTH) ? undefined : readJson(text);
    if (!isJsonObject(value)) throw notUnderstood();
    return value;
  }

  *#readChunk(chunk: JsonObject): Generator<ModelPiece> {
    const { error, choices } = chunk;
    if (error !== undefined && error !== null) throw toBrokenAnswer(error, this.#rules.redact);
    if (chunk["object"] === "error") throw toBrokenAnswer(chunk, this.#rules.redact);
    this.#usage = readUsage(chunk) ?? this.#usage;
    for (const choice of Array.isArray(choices) ? choices : []) {
      if (isJsonObject(choice) && (choice["index"] ?? 0) === 0) yield* this.#readChoice(choice);
    }
  }

  *#readChoice(choice: JsonObject): Generator<ModelPiece> {
    const { delta, message, finish_reason: reason } = choice;
    const content = isJsonObject(delta) ? delta : message;
    if (isJsonObject(content)) yield* this.#readDelta(content);
    if (typeof reason !== "string" || reason === "") return;
    if (reason === "error") throw toBrokenAnswer(choice, this.#rules.redact);
    this.#reason = REASONS.get(reason) ?? "other";
    this.isFinished = true;
  }

  *#readDelta(delta: JsonObject): Generator<ModelPiece> {
    const parts = toParts(delta["content"]);
    // Some servers send the same text in both fields.
    const think = firstText(delta["reasoning_content"], delta["reasoning"], parts.think);
    if (think !== "") {
      this.#count(think);
      yield { think };
    }
    yield* this.#readText(parts.text + firstText(delta["refusal"]));
    const calls = delta["tool_calls"];
    for (const [position, call] of (Array.isArray(calls) ? calls : []).entries()) {
      if (isJsonObject(call)) yield* this.#readCall(call, position);
    }
  }

  *#readText(text: string): Generator<ModelPiece> {
    if (text === "") return;
    this.#count(text);
    const known = this.#half + text;
    this.#half = /[\ud800-\udbff]$/.exec(known)?.[0] ?? "";
    const whole = known.slice(0, known.length - this.#half.length);
    if (whole !== "") yield whole;
  }

  *#readCall(call: JsonObject, position: number): Generator<ModelPiece> {
    const told = isJsonObject(call["function"]) ? call["function"] : {};
    const [id, name] = [firstText(call["id"]), firstText(told["name"])];
    const written = toArguments(told["arguments"]);
    const index = this.#findIndex(call["index"], id, position);
    const known = this.#calls.get(index);
    const part = {
      index,
      ...(known === undefined ? { id: id || this.#rules.createId() } : {}),
      ...(known?.hasName !== true && name !== "" ? { name } : {}),
      ...(written === "" ? {} : { arguments: written }),
    };
    this.#calls.set(index, { id: known?.id ?? id, hasName: known?.hasName === true || name !== "" });
    this.#count(`${part.id ?? ""}${part.name ?? ""}${written}`);
    if (Object.keys(part).length > 1) yield { call: part };
  }

  /**
   * Finds the index of a call. If the server omits the index, the call is identified by its ID, or else by its position
   * in the array.
   */
  #findIndex(index: unknown, id: string, position: number): number {
    if (index === undefined || index === null) {
      const known = [...this.#calls].find(([, call]) => id !== "" && call.id === id)?.[0];
      if (known !== undefined) return known;
      return id === "" || this.#calls.size === 0 ? position : this.#parseIndex(this.#calls.size);
    }
    return this.#parseIndex(index);
  }

  #parseIndex(index: unknown): number {
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= MAX_CALLS) {
      throw notUnderstood();
    }
    return index;
  }

  /** Yields a surrogate half that is still held back. */
  *flush(): Generator<ModelPiece> {
    if (this.#half !== "") yield this.#half;
    this.#half = "";
  }

  /** Ends the response. Yields the finish reason and the token counts that the server has sent. */
  *finish(): Generator<ModelPiece> {
    if (this.#reason === undefined && this.#usage === undefined) return;
    // Many servers send `stop` after tool calls.
    const hasCalls = this.#calls.size > 0 && (this.#reason ?? "stop") === "stop";
    const reason = hasCalls ? "tool-calls" : (this.#reason ?? "other");
    yield { finish: { reason, usage: this.#usage } };
  }

  #count(text: string): void {
    this.#left -= text.length;
    if (this.#left < 0) throw tooLong(this.#rules.maxAnswerChars);
  }
}

const MAX_DEPTH = 64;
const MAX_CALLS = 128;

/** Finish reasons of OpenAI, and those that other servers send instead. */
const REASONS: ReadonlyMap<string, FinishReason> = /* @__PURE__ */ new Map([
  ["stop", "stop"],
  ["end_turn", "stop"],
  ["eos", "stop"],
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["tool_calls", "tool-calls"],
  ["tool_use", "tool-calls"],
  ["function_call", "tool-calls"],
  ["content_filter", "content-filter"],
]);

/** Splits content into text and reasoning. Content is a string, or an array of parts that may be nested. */
function toParts(content: unknown): { readonly text: string; readonly think: string } {
  if (!Array.isArray(content)) return { text: firstText(content), think: "" };
  const parts = content.filter(isJsonObject);
  const inner = parts.map(({ thinking }) => (Array.isArray(thinking) ? thinking.filter(isJsonObject) : []));
  const join = (texts: readonly JsonObject[]) => texts.map(({ text }) => firstText(text)).join("");
  return { text: join(parts), think: join(inner.flat()) };
}

function firstText(...values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === "string" && value !== "") ?? "";
}

/** Returns the arguments as JSON text. Some servers send an object instead. */
function toArguments(value: unknown): string {
  return isJsonObject(value) ? JSON.stringify(value) : firstText(value);
}
