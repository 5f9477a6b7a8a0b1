/**
 * @fileoverview Questions to the client. Legacy eras send a request over the open connection. The modern era ends the
 * call with `input_required`, and the client repeats the call with the answer.
 * @module core/questions
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { type ClientFeature, McpError, projectClientRequest, TRAITS } from "../../protocol/index.js";
import { missingCapability } from "../../protocol/revisions/capabilities.js";
import { RETRYABLE_METHODS } from "../../protocol/revisions/methods.js";
import type { Caller } from "../wire/caller.js";
import type { Exchange } from "../wire/exchange.js";
import { type CallState, EMPTY_STATE } from "./state.js";

/** Question to the client, with the function that reads the answer. */
export interface ClientQuestion<Answer> {
  readonly feature: ClientFeature;
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: JsonObject;
  /** @throws McpError if the answer is invalid */
  readonly read: (answer: unknown) => MaybePromise<Answer>;
}

/** Request in which the questions are asked. */
export interface QuestionContext {
  readonly method: string;
  readonly caller: Caller;
  readonly exchange: Exchange | undefined;
}

/** Questions of one call. */
export class Questions {
  readonly #request: QuestionContext;
  readonly #state: CallState;
  readonly #unanswered = new Map<string, JsonObject>();
  readonly #answers = new Map<string, unknown>();
  readonly #once = new Map<string, Promise<unknown>>();
  readonly #onceResults = new Map<string, { readonly value?: unknown }>();
  readonly #faults = new Set<unknown>();

  constructor(request: QuestionContext, state: CallState = EMPTY_STATE) {
    this.#request = request;
    this.#state = state;
  }

  /** True if the call must end with a question. */
  get open(): boolean {
    return this.#unanswered.size > 0;
  }

  /** Returns true if the error was caused by the client. Such an error is reported as a protocol error. */
  isFault(error: unknown): boolean {
    return this.#faults.has(error);
  }

  /** Asks a question. Rejects with an interrupt if the answer can only arrive in a later round. */
  ask<Answer>(key: string, question: ClientQuestion<Answer>, signal: () => AbortSignal): Promise<Answer> {
    const answer = this.#ask(key, question, signal);
    // A handler may start several questions and await them one by one. None may count as an unhandled rejection.
    answer.catch(() => undefined);
    return answer;
  }

  /** Runs `task` once across all rounds of this call. */
  once<T>(key: string, task: () => MaybePromise<T>): Promise<T> {
    const started = this.#once.get(key);
    // Each key belongs to one task, so the stored result has its type.
    if (started !== undefined) return started as Promise<T>;
    const result = this.#runOnce(key, task);
    // After an interrupt the handler may never await it.
    result.catch(() => undefined);
    this.#once.set(key, result);
    return result;
  }

  /** Returns the questions for the client and the state for the next round. Waits for running `once` tasks. */
  async pending(): Promise<{ readonly inputRequests: JsonObject; readonly state: CallState }> {
    await Promise.allSettled(this.#once.values());
    return {
      inputRequests: Object.fromEntries(this.#unanswered),
      state: {
        // Only answers that the handler asked for are kept. Extra keys of the client are dropped.
        answers: Object.fromEntries(this.#answers),
        once: { ...this.#state.once, ...Object.fromEntries(this.#onceResults) },
      },
    };
  }

  async #ask<Answer>(
    key: string,
    question: ClientQuestion<Answer>,
    signal: () => AbortSignal,
  ): Promise<Answer> {
    const { feature, method } = question;
    const { exchange } = this.#request;
    const traits = TRAITS[this.#request.caller.revision];
    if (exchange === undefined || (!traits.inputByRetry && exchange.request === undefined)) {
      throw new McpError(
        "SERVICE_UNAVAILABLE",
        `This connection cannot carry requests to the client, which ${FEATURE_NAMES[feature]} needs.`,
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
      return question.read(await exchange.request({ method, params }, signal()));
    }
    if (!RETRYABLE_METHODS.some((retryable) => retryable === this.#request.method)) {
      throw new McpError(
        "SERVICE_UNAVAILABLE",
        `"${this.#request.method}" cannot request input from the client.`,
      );
    }
    if (Object.hasOwn(this.#state.answers, key)) {
      const answer = this.#state.answers[key];
      this.#answers.set(key, answer);
      try {
        return await question.read(answer);
      } catch (error) {
        throw this.#fault(error);
      }
    }
    this.#unanswered.set(key, { method, params });
    throw new InputInterrupt(key);
  }

  async #runOnce<T>(key: string, task: () => MaybePromise<T>): Promise<T> {
    const earlier = Object.hasOwn(this.#state.once, key) ? this.#state.once[key] : undefined;
    const box = earlier ?? { value: await task() };
    this.#onceResults.set(key, box);
    return box.value as T; // stored by the same task, in this round or an earlier one
  }

  #fault(error: unknown): unknown {
    this.#faults.add(error);
    return error;
  }
}

/** Adds the answers of this round to the state. Answers of earlier rounds take precedence. */
export function withAnswers(state: CallState, inputResponses: unknown): CallState {
  return isJsonObject(inputResponses)
    ? { ...state, answers: { ...inputResponses, ...state.answers } }
    : state;
}

/** Ends a round: the handler unwinds, its `finally` blocks run, and the client is asked. It is never sent. */
class InputInterrupt extends Error {
  override readonly name = "InputInterrupt";

  constructor(key: string) {
    super(`The client has not answered "${key}" yet. The handler runs again with the answer.`);
  }
}

const FEATURE_NAMES: Readonly<Record<ClientFeature, string>> = {
  form: "elicitation",
  url: "elicitation by URL",
  sampling: "sampling",
  "sampling-tools": "sampling with tools",
  roots: "roots",
};
