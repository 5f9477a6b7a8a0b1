/**
 * @fileoverview The `call` object, which handlers receive in addition to their arguments.
 * @module tenon/core/call/call
 */
import { toBase64Url } from "@tenon/internal/base64";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { andThen, isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import {
  type ClientCapabilities,
  type ClientFeature,
  type InputAnswer,
  isRequestId,
  LOG_LEVELS,
  type LogLevel,
  McpError,
  type RequestId,
  type Revision,
  type Root,
  type SamplingRequest,
  type SamplingResult,
  TRAITS,
} from "../../protocol/index.js";
import { missingCapability } from "../../protocol/revisions/capabilities.js";
import { describeIssues } from "../../schema/issues.js";
import type { Auth } from "../wire/exchange.js";
import { actionProblem, rootsProblem, samplingProblem } from "./answer-checks.js";
import type { OnceOptions } from "./detached-call.js";
import type { FormRequest, UrlRequest } from "./forms.js";
import type { Incoming } from "./incoming.js";
import { type ClientQuestion, Questions } from "./questions.js";
import type { CallState } from "./state.js";

/** Information that the client declares about itself. It is not verified. */
export interface ClientView {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly capabilities: ClientCapabilities;
  readonly revision: Revision;
  /** Returns true if the client declared support for this kind of request. */
  readonly supports: (feature: ClientFeature) => boolean;
}

/** One handler call: its context, its caller, and functions to communicate with the client. */
export class Call<Context = unknown> {
  /** Application value passed to `handle` with this request. */
  readonly context: Context;
  readonly #incoming: Incoming;
  readonly #state: CallState | undefined;
  #controller: AbortController | undefined;
  #abortReason: unknown;
  #questions: Questions | undefined;
  #lastProgress: number;
  #over = false;

  /** @internal created by the core for each call */
  constructor(incoming: Incoming, state?: CallState) {
    // Safe: `handle` accepts only contexts of this type.
    this.context = incoming.context as Context;
    this.#incoming = incoming;
    this.#state = state;
    this.#lastProgress = incoming.detached?.lastProgress ?? -Infinity;
  }

  /** JSON-RPC request ID. */
  get id(): RequestId {
    return this.#incoming.id;
  }

  /** ID of the task that runs the handler. `undefined` if the handler runs in its request. */
  get taskId(): string | undefined {
    return this.#incoming.detached?.taskId;
  }

  /** Authenticated caller. `undefined` if the transport does not authenticate callers. */
  get auth(): Auth | undefined {
    return this.#incoming.exchange?.auth;
  }

  /** Name, version, and capabilities that the client declared. They are not verified. */
  get client(): ClientView {
    const { clientInfo, capabilities, revision } = this.#incoming.caller;
    const { name, version } = clientInfo ?? {};
    return {
      name: typeof name === "string" ? name : undefined,
      version: typeof version === "string" ? version : undefined,
      capabilities,
      revision,
      supports: (feature) => missingCapability(feature, capabilities, TRAITS[revision]) === undefined,
    };
  }

  /** The request's `_meta`, which can contain trace context, a progress token, and extension data. */
  get meta(): JsonObject {
    const meta = this.#incoming.params?.["_meta"];
    return isJsonObject(meta) ? meta : {};
  }

  /** Returns a request header by its lowercase name. Always `undefined` if the transport does not use headers. */
  header(name: string): string | undefined {
    return this.#incoming.exchange?.header?.(name) ?? undefined;
  }

  /** Signal that aborts when the client cancels the call or disconnects, or when the timeout expires. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  /**
   * Sends a progress notification if the client requested progress and the value is higher than the last one. In a
   * task, the progress becomes the task's status message.
   *
   * @throws in a task that was cancelled
   */
  async progress(progress: number, total?: number, message?: string): Promise<void> {
    const { detached, encoder } = this.#incoming;
    detached?.throwIfStopped();
    if (!Number.isFinite(progress) || progress <= this.#lastProgress) return;
    if (detached !== undefined) {
      this.#lastProgress = progress;
      return detached.reportProgress({ progress, total, message });
    }
    const progressToken = this.meta["progressToken"];
    if (!isRequestId(progressToken)) return;
    this.#lastProgress = progress;
    const { traits } = encoder;
    await this.#notify("notifications/progress", {
      progressToken,
      progress,
      ...(total === undefined || !Number.isFinite(total) ? {} : { total }),
      ...(message === undefined || !traits.progressMessages ? {} : { message }),
    });
  }

  /** Sends a log message to the client. Does nothing if `level` is below the client's minimum log level. */
  async log(level: LogLevel, data: unknown, logger?: string): Promise<void> {
    const { caller, encoder, services } = this.#incoming;
    const wanted = caller.logLevel ?? (encoder.traits.stateless ? undefined : services.logLevel);
    if (wanted === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(wanted)) return;
    await this.#notify("notifications/message", {
      level,
      data,
      ...(logger === undefined ? {} : { logger }),
    });
  }

  /**
   * Asks the user for input. In the modern era and in tasks, the handler runs again from the start when the answer
   * arrives. Put side effects in `once` or after the last request to the client.
   *
   * @param key name of the request, unique within this handler
   * @throws {McpError} if the client does not support the request or its response is invalid
   */
  input<Content>(key: string, request: FormRequest<Content>): Promise<InputAnswer<Content>>;
  input(key: string, request: UrlRequest): Promise<InputAnswer<undefined>>;
  input(key: string, request: FormRequest<unknown> | UrlRequest): Promise<InputAnswer<unknown>> {
    return this.#ask(key, request.kind === "form" ? askForm(key, request) : this.#askUrl(key, request));
  }

  /** Requests a completion from the client's model. `key` works as in `input`. */
  sample(key: string, request: SamplingRequest): Promise<SamplingResult> {
    return this.#ask(key, {
      feature: request.tools === undefined ? "sampling" : "sampling-tools",
      method: "sampling/createMessage",
      params: { ...request },
      read(answer) {
        assertAnswer(key, samplingProblem(answer));
        return answer as SamplingResult; // Safe: the three required properties were checked above
      },
    });
  }

  /** Requests the client's roots. `key` works as in `input`. */
  roots(key: string): Promise<readonly Root[]> {
    return this.#ask(key, {
      feature: "roots",
      method: "roots/list",
      params: {},
      read(answer) {
        assertAnswer(key, rootsProblem(answer));
        return (answer as { readonly roots: readonly Root[] }).roots; // Safe: checked above
      },
    });
  }

  /**
   * Runs `step` once across all rounds of this call. Later rounds receive its result as JSON. If a client repeats the
   * call from its first round, the step runs again.
   *
   * In a task, the start and the result are recorded. If the process stops in between, the task fails, because the
   * outcome is unknown. With `retry`, the step runs again instead.
   */
  once<T>(key: string, step: () => MaybePromise<T>, options: OnceOptions = {}): Promise<T> {
    return this.#asking().once(key, step, options);
  }

  /**
   * Closes the response stream of a long call while the call continues. The client reconnects and receives the
   * remaining messages on the new stream. Transports other than resumable HTTP sessions ignore it.
   */
  hangUp(): void {
    this.#incoming.exchange?.hangUp?.();
  }

  /** @internal request that this call handles */
  get incoming(): Incoming {
    return this.#incoming;
  }

  /** @internal requests to the client that this call has made, if any */
  get questions(): Questions | undefined {
    return this.#questions;
  }

  /** @internal keeps the client's responses, so that a repeated request with the same key gets the first one */
  keepAnswers(): void {
    this.#asking().keepAnswers();
  }

  /** @internal aborts the handler's signal */
  abort(reason: unknown): void {
    this.#abortReason = reason ?? new DOMException("The call was cancelled.", "AbortError");
    this.#controller?.abort(this.#abortReason);
  }

  /** @internal marks the call as finished; later notifications are dropped */
  finish(): void {
    this.#over = true;
  }

  #ask<Answer>(key: string, question: ClientQuestion<Answer>): Promise<Answer> {
    return this.#asking().ask(key, question, () => this.signal);
  }

  #asking(): Questions {
    return (this.#questions ??= new Questions(this.#incoming, this.#state));
  }

  #askUrl(key: string, request: UrlRequest): ClientQuestion<InputAnswer<undefined>> {
    const { message, url } = request;
    const elicitationId = toBase64Url(this.#incoming.services.ports.randomBytes(16));
    return {
      feature: "url",
      method: "elicitation/create",
      params: { mode: "url", message, url, elicitationId },
      read: (answer) => {
        const { action } = readAction(key, answer);
        return action === "accept" ? { action, content: undefined } : { action };
      },
    };
  }

  /** Sends a notification. Failures are logged and do not affect the handler. */
  async #notify(method: string, params: JsonObject): Promise<void> {
    const { exchange } = this.#incoming;
    if (this.#over || exchange?.notify === undefined) return;
    try {
      const sent = exchange.notify({ jsonrpc: "2.0", method, params });
      if (isPromise(sent)) await sent;
    } catch (error) {
      const { services, method: operation } = this.#incoming;
      services.log?.({ level: "error", event: "notify-failed", operation, name: method, error });
    }
  }
}

function askForm<Content>(key: string, request: FormRequest<Content>): ClientQuestion<InputAnswer<Content>> {
  const { message, schema } = request;
  return {
    feature: "form",
    method: "elicitation/create",
    params: { mode: "form", message, requestedSchema: schema.jsonSchema },
    read(answer): MaybePromise<InputAnswer<Content>> {
      const { action, content } = readAction(key, answer);
      if (action !== "accept") return { action };
      return andThen(schema.check(content ?? {}), (checked) => {
        if (checked.issues !== undefined) throw invalidAnswer(key, describeIssues(checked.issues));
        return { action, content: checked.value as Content }; // Safe: validated against the schema of `Content`
      });
    },
  };
}

function readAction(key: string, answer: unknown) {
  assertAnswer(key, actionProblem(answer));
  // Safe: checked above.
  return answer as { readonly action: "accept" | "decline" | "cancel"; readonly content?: unknown };
}

function assertAnswer(key: string, problem: string | undefined): void {
  if (problem !== undefined) throw invalidAnswer(key, problem);
}

function invalidAnswer(key: string, problem: string): McpError {
  return new McpError("INVALID_PARAMS", `The response to "${key}" is invalid: ${problem}.`);
}
