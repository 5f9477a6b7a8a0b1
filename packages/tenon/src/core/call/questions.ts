/**
 * @fileoverview Questions to the client, written once and asked in either era: as a request over the open
 * connection, or by ending the call with `input_required` and finding the answer when the client comes back.
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

/** A question, and how its answer is read. */
export interface ClientQuestion<Answer> {
  readonly feature: ClientFeature;
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: JsonObject;
  /** @throws McpError for an answer that does not fit */
  readonly read: (answer: unknown) => MaybePromise<Answer>;
}

/** The request that questions are asked for. */
export interface QuestionContext {
  readonly method: string;
  readonly caller: Caller;
  readonly exchange: Exchange | undefined;
}

/** The questions of one call. */
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

  /** Whether the call must end with a question. */
  get open(): boolean {
    return this.#unanswered.size > 0;
  }

  /** Whether an error says that the client broke the rules, so that the reply is a protocol error. */
  isFault(error: unknown): boolean {
    return this.#faults.has(error);
  }

  /** Asks; rejects with an interrupt where the answer has yet to come in another round. */
  ask<Answer>(key: string, question: ClientQuestion<Answer>, signal: () => AbortSignal): Promise<Answer> {
    const answer = this.#ask(key, question, signal);
    // A handler may hold several questions and await them one by one; none may count as unhandled meanwhile.
    answer.catch(() => undefined);
    return answer;
  }

  /** Runs `task` once in all rounds of this call. */
  once<T>(key: string, task: () => MaybePromise<T>): Promise<T> {
    const started = this.#once.get(key);
    // One key has one task: what is stored under it is what that task gave.
    if (started !== undefined) return started as Promise<T>;
    const result = this.#runOnce(key, task);
    // An interrupt may keep the handler from ever awaiting it.
    result.catch(() => undefined);
    this.#once.set(key, result);
    return result;
  }

  /** What to ask the client, and what to keep for the next round. Tasks under way are waited for: they ran once. */
  async pending(): Promise<{ readonly inputRequests: JsonObject; readonly state: CallState }> {
    await Promise.allSettled(this.#once.values());
    return {
      inputRequests: Object.fromEntries(this.#unanswered),
      state: {
        // Only what a handler asked for goes on: extra keys of the client stay behind.
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
        `${FEATURE_NAMES[feature]} needs a connection that can carry questions to the client`,
      );
    }
    const missing = missingCapability(feature, this.#request.caller.capabilities, traits);
    if (missing !== undefined) {
      throw this.#fault(
        new McpError("MISSING_CAPABILITY", `The client does not support ${FEATURE_NAMES[feature]}`, {
          requiredCapabilities: missing,
        }),
      );
    }
    const params = projectClientRequest(method, question.params, traits);
    if (exchange.request !== undefined && !traits.inputByRetry) {
      return question.read(await exchange.request({ method, params }, signal()));
    }
    if (!RETRYABLE_METHODS.some((retryable) => retryable === this.#request.method)) {
      throw new McpError("SERVICE_UNAVAILABLE", `${this.#request.method} cannot ask the client`);
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
    return box.value as T; // put there by the same task, in this round or an earlier one
  }

  #fault(error: unknown): unknown {
    this.#faults.add(error);
    return error;
  }
}

/** Joins the answers of this round with those of earlier ones; what was answered before stays. */
export function withAnswers(state: CallState, inputResponses: unknown): CallState {
  return isJsonObject(inputResponses)
    ? { ...state, answers: { ...inputResponses, ...state.answers } }
    : state;
}

/** Ends a round: the handler unwinds, its `finally` blocks run, and the client is asked. Never sent anywhere. */
class InputInterrupt extends Error {
  override readonly name = "InputInterrupt";

  constructor(key: string) {
    super(`the answer to "${key}" is asked of the client; the handler runs again when it comes`);
  }
}

const FEATURE_NAMES: Readonly<Record<ClientFeature, string>> = {
  form: "elicitation",
  url: "elicitation by URL",
  sampling: "sampling",
  "sampling-tools": "sampling with tools",
  roots: "roots",
};
