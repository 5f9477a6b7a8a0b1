/**
 * @fileoverview Requests from a handler to the client. In the legacy eras, the server sends a request over the open
 * connection. In the modern era, the call ends with `input_required`, and the client repeats it with the response.
 * @module tenon/core/call/questions
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { isInstance } from "@tenon/internal/thrown";
import { type ClientFeature, McpError, projectClientRequest, TRAITS } from "../../protocol/index.js";
import { toPublicError } from "../../protocol/public-error.js";
import { missingCapability } from "../../protocol/revisions/capabilities.js";
import { RETRYABLE_METHODS } from "../../protocol/revisions/methods.js";
import type { Caller } from "../wire/caller.js";
import type { Exchange } from "../wire/exchange.js";
import type { DetachedCall, OnceOptions } from "./detached-call.js";
import { type CallState, EMPTY_STATE } from "./state.js";

/** Request to the client, with the function that validates the response. */
export interface ClientQuestion<Answer> {
  readonly feature: ClientFeature;
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: JsonObject;
  /** Validates and converts the response. @throws {McpError} if the response is invalid */
  readonly read: (answer: unknown) => MaybePromise<Answer>;
}

/** MCP request whose handler sends requests to the client. */
export interface QuestionContext {
  readonly method: string;
  readonly caller: Caller;
  readonly exchange: Exchange | undefined;
  /** Set if the handler runs after its request has been answered. */
  readonly detached?: DetachedCall;
}

/** Requests to the client and `once` results of one call. */
export class Questions {
  readonly #request: QuestionContext;
  readonly #state: CallState;
  readonly #unanswered = new Map<string, JsonObject>();
  readonly #answers = new Map<string, unknown>();
  readonly #once = new Map<string, Promise<unknown>>();
  readonly #onceResults = new Map<string, { readonly value?: unknown }>();
  readonly #faults = new Set<unknown>();
  readonly #rejected = new Map<string, string>();
  #keepsAnswers = false;

  constructor(request: QuestionContext, state: CallState = EMPTY_STATE) {
    this.#request = request;
    this.#state = state;
  }

  /** True if the call must end with `input_required`. */
  get open(): boolean {
    return this.#unanswered.size > 0;
  }

  /** Returns true if the client caused the error, which is then reported as a protocol error. */
  isFault(error: unknown): boolean {
    return this.#faults.has(error);
  }

  /** Sends a request. In the modern era, rejects with an `InputInterrupt` until a later round has the response. */
  ask<Answer>(key: string, question: ClientQuestion<Answer>, signal: () => AbortSignal): Promise<Answer> {
    const answer = this.#ask(key, question, signal);
    // Prevents unhandled rejections: a handler may send more requests before it awaits the first.
    answer.catch(() => undefined);
    return answer;
  }

  /** Keeps the client's responses in this round, so that a repeated request with the same key gets the first one. */
  keepAnswers(): void {
    this.#keepsAnswers = true;
  }

  /** Responses that a detached handler did not accept, as messages by key. They count as missing. */
  get rejected(): ReadonlyMap<string, string> {
    return this.#rejected;
  }

  /** Runs `step` once across all rounds of this call. Later rounds receive the stored result. */
  once<T>(key: string, step: () => MaybePromise<T>, options: OnceOptions): Promise<T> {
    const started = this.#once.get(key);
    // Safe: each key belongs to one step, so the stored result has that step's type.
    if (started !== undefined) return started as Promise<T>;
    const result = this.#runOnce(key, step, options);
    // Prevents an unhandled rejection: after an interrupt, the handler may never await the result.
    result.catch(() => undefined);
    this.#once.set(key, result);
    return result;
  }

  /** Returns the responses and results of this round and earlier ones. */
  gathered(): CallState {
    return {
      answers: Object.fromEntries(this.#answers),
      once: { ...this.#state.once, ...Object.fromEntries(this.#onceResults) },
    };
  }

  /** Returns the pending requests and the state for the next round. Waits for `once` steps that are still running. */
  async pending(): Promise<{ readonly inputRequests: JsonObject; readonly state: CallState }> {
    await Promise.allSettled(this.#once.values());
    // Only responses to the handler's requests are kept. Other keys that the client sent are dropped.
    return { inputRequests: Object.fromEntries(this.#unanswered), state: this.gathered() };
  }

  async #ask<Answer>(
    key: string,
    question: ClientQuestion<Answer>,
    signal: () => AbortSignal,
  ): Promise<Answer> {
    const { feature, method } = question;
    const { exchange, detached } = this.#request;
    detached?.throwIfStopped();
    const traits = TRAITS[this.#request.caller.revision];
    if (exchange === undefined || (!traits.inputByRetry && exchange.request === undefined)) {
      throw new McpError(
        "SERVICE_UNAVAILABLE",
        `This connection cannot send requests to the client, so it does not support ${FEATURE_NAMES[feature]}.`,
      );
    }
    const missing = missingCapability(feature, this.#request.caller.capabilities, traits);
    if (missing !== undefined) {
      throw this.#fault(
        new McpError("MISSING_CAPABILITY", `The client does not support ${FEATURE_NAMES[feature]}.`, {
          requiredCapabilities: missing,
        }),
      );
    }
    const params = projectClientRequest(method, question.params, traits);
    if (exchange.request !== undefined && !traits.inputByRetry) {
      if (this.#keepsAnswers && this.#answers.has(key)) return question.read(this.#answers.get(key));
      const answer = await exchange.request({ method, params }, signal());
      if (this.#keepsAnswers) this.#answers.set(key, answer);
      return question.read(answer);
    }
    if (!RETRYABLE_METHODS.some((retryable) => retryable === this.#request.method)) {
      throw new McpError(
        "SERVICE_UNAVAILABLE",
        `"${this.#request.method}" cannot request input from the client. ` +
          `Only these methods can: ${RETRYABLE_METHODS.join(", ")}.`,
      );
    }
    if (Object.hasOwn(this.#state.answers, key)) {
      const answer = this.#state.answers[key];
      this.#answers.set(key, answer);
      try {
        return await question.read(answer);
      } catch (error) {
        if (detached === undefined) throw this.#fault(error);
        this.#rejected.set(key, toPublicError(error)?.message ?? `The response to "${key}" is invalid.`);
      }
    }
    this.#unanswered.set(key, { method, params });
    throw new InputInterrupt(key);
  }

  async #runOnce<T>(key: string, step: () => MaybePromise<T>, options: OnceOptions): Promise<T> {
    const { detached } = this.#request;
    const earlier = Object.hasOwn(this.#state.once, key) ? this.#state.once[key] : undefined;
    if (earlier === undefined && detached !== undefined) return detached.runStep(key, step, options);
    const box = earlier ?? { value: await step() };
    this.#onceResults.set(key, box);
    return box.value as T; // Safe: the same step stored it, in this round or an earlier one
  }

  #fault(error: unknown): unknown {
    this.#faults.add(error);
    return error;
  }
}

/** Adds this round's responses to the state. Responses from earlier rounds take precedence. */
export function withAnswers(state: CallState, inputResponses: unknown): CallState {
  return isJsonObject(inputResponses)
    ? { ...state, answers: { ...inputResponses, ...state.answers } }
    : state;
}

/** Returns true for the error that stops a handler until the client responds. */
export function isInputInterrupt(error: unknown): boolean {
  return isInstance(error, InputInterrupt);
}

/** Stops the handler until the client responds. The handler's `finally` blocks run. Clients never see this error. */
class InputInterrupt extends Error {
  override readonly name = "InputInterrupt";

  constructor(key: string) {
    super(
      `The client has not responded to "${key}" yet. ` +
        "Do not catch this error: the handler runs again when the response arrives.",
    );
  }
}

const FEATURE_NAMES: Readonly<Record<ClientFeature, string>> = {
  form: "elicitation",
  url: "URL elicitation",
  sampling: "sampling",
  "sampling-tools": "sampling with tools",
  roots: "roots",
};
