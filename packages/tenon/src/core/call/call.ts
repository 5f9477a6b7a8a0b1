/**
 * @fileoverview The `call` object that a handler receives besides its arguments.
 * @module core/call
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
import type { FormRequest, UrlRequest } from "./forms.js";
import type { Incoming } from "./incoming.js";
import { type ClientQuestion, Questions } from "./questions.js";
import type { CallState } from "./state.js";

/** Client information, as declared by the client. It is not verified. */
export interface ClientView {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly capabilities: ClientCapabilities;
  readonly revision: Revision;
  /** Returns true if the client supports this kind of request. */
  readonly supports: (feature: ClientFeature) => boolean;
}

/** One call of a handler. */
export class Call<Context = unknown> {
  /** Application's value for this request. */
  readonly context: Context;
  readonly #incoming: Incoming;
  readonly #state: CallState | undefined;
  #controller: AbortController | undefined;
  #abortReason: unknown;
  #questions: Questions | undefined;
  #lastProgress = -Infinity;
  #over = false;

  /** @internal created by the core for each call */
  constructor(incoming: Incoming, state?: CallState) {
    // `handle` accepts only this context type.
    this.context = incoming.context as Context;
    this.#incoming = incoming;
    this.#state = state;
  }

  /** Id of the request. */
  get id(): RequestId {
    return this.#incoming.id;
  }

  /** Authenticated caller, if the transport has authorization. */
  get auth(): Auth | undefined {
    return this.#incoming.exchange?.auth;
  }

  /** Client information, as declared by the client. */
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

  /** `_meta` of the request: trace context, progress token, extensions. */
  get meta(): JsonObject {
    const meta = this.#incoming.params?.["_meta"];
    return isJsonObject(meta) ? meta : {};
  }

  /** Returns a request header by its lower-case name, if the transport has headers. */
  header(name: string): string | undefined {
    return this.#incoming.exchange?.header?.(name) ?? undefined;
  }

  /** Signal that aborts when the client cancels or disconnects, or when the timeout expires. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  /** Sends a progress notification if the client requested progress and the value has increased. */
  async progress(progress: number, total?: number, message?: string): Promise<void> {
    const progressToken = this.meta["progressToken"];
    if (!isRequestId(progressToken) || !Number.isFinite(progress) || progress <= this.#lastProgress) return;
    this.#lastProgress = progress;
    const { traits } = this.#incoming.encoder;
    await this.#notify("notifications/progress", {
      progressToken,
      progress,
      ...(total === undefined || !Number.isFinite(total) ? {} : { total }),
      ...(message === undefined || !traits.progressMessages ? {} : { message }),
    });
  }

  /** Sends a log message to the client if its log level includes this one. */
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
   * Asks the user for input. In a stateless revision the handler runs again from the start when the answer arrives. Put
   * side effects in `once` or after the last question.
   *
   * @param key unique name of the question within this handler
   */
  input<Content>(key: string, request: FormRequest<Content>): Promise<InputAnswer<Content>>;
  input(key: string, request: UrlRequest): Promise<InputAnswer<undefined>>;
  input(key: string, request: FormRequest<unknown> | UrlRequest): Promise<InputAnswer<unknown>> {
    return this.#ask(key, request.kind === "form" ? askForm(key, request) : this.#askUrl(key, request));
  }

  /** Requests a completion from the client's model. */
  sample(key: string, request: SamplingRequest): Promise<SamplingResult> {
    return this.#ask(key, {
      feature: request.tools === undefined ? "sampling" : "sampling-tools",
      method: "sampling/createMessage",
      params: { ...request },
      read(answer) {
        const { role, content, model } = isJsonObject(answer) ? answer : {};
        if (typeof role !== "string" || typeof model !== "string" || !isBlocks(content)) {
          throw invalidAnswer(key, "expected a sampling result");
        }
        return answer as SamplingResult; // its three required members were checked above
      },
    });
  }

  /** Requests the client's roots. */
  roots(key: string): Promise<readonly Root[]> {
    return this.#ask(key, {
      feature: "roots",
      method: "roots/list",
      params: {},
      read(answer) {
        const roots = isJsonObject(answer) ? answer["roots"] : undefined;
        if (!Array.isArray(roots) || !roots.every(isRoot)) {
          throw invalidAnswer(key, "expected a list of roots");
        }
        return roots;
      },
    });
  }

  /**
   * Runs `task` once across all rounds of this call. Later rounds receive its result as JSON. A client that replays the
   * whole chain of rounds runs it again.
   */
  once<T>(key: string, task: () => MaybePromise<T>): Promise<T> {
    return this.#asking().once(key, task);
  }

  /**
   * Closes the response stream of a long call. The client reconnects and receives the rest there. The call continues.
   * Only resumable HTTP sessions support this; other transports ignore it.
   */
  hangUp(): void {
    this.#incoming.exchange?.hangUp?.();
  }

  /** @internal questions of this call, if it has asked any */
  get questions(): Questions | undefined {
    return this.#questions;
  }

  /** @internal aborts the signal of the handler */
  abort(reason: unknown): void {
    this.#abortReason = reason ?? new DOMException("The call was cancelled.", "AbortError");
    this.#controller?.abort(this.#abortReason);
  }

  /** @internal stops notifications for this call */
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
        return { action, content: checked.value as Content }; // the schema behind `Content` accepted it
      });
    },
  };
}

function readAction(key: string, answer: unknown) {
  const { action, content } = isJsonObject(answer) ? answer : {};
  if (action !== "accept" && action !== "decline" && action !== "cancel") {
    throw invalidAnswer(key, 'expected the action "accept", "decline" or "cancel"');
  }
  return { action, content } as const;
}

function invalidAnswer(key: string, problem: string): McpError {
  return new McpError("INVALID_PARAMS", `The answer to "${key}" is invalid: ${problem}.`);
}

function isBlocks(content: unknown): boolean {
  return isJsonObject(content) || Array.isArray(content);
}

function isRoot(value: unknown): value is Root {
  return isJsonObject(value) && typeof value["uri"] === "string";
}
