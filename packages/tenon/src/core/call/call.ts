/**
 * @fileoverview All that a handler gets besides its arguments.
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

/** The client, as it described itself. None of it is proven. */
export interface ClientView {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly capabilities: ClientCapabilities;
  readonly revision: Revision;
  /** Whether the client can be asked this; a handler that can do without asks first. */
  readonly supports: (feature: ClientFeature) => boolean;
}

/** One run of a handler. */
export class Call<Context = unknown> {
  /** The application's own value for this request. */
  readonly context: Context;
  readonly #incoming: Incoming;
  readonly #state: CallState | undefined;
  #controller: AbortController | undefined;
  #abortReason: unknown;
  #questions: Questions | undefined;
  #lastProgress = -Infinity;
  #over = false;

  /** @internal made by the core for each run */
  constructor(incoming: Incoming, state?: CallState) {
    // `handle` took this value under the server's own context type.
    this.context = incoming.context as Context;
    this.#incoming = incoming;
    this.#state = state;
  }

  /** The id of the request. */
  get id(): RequestId {
    return this.#incoming.id;
  }

  /** Who is calling, where the transport has authorization. */
  get auth(): Auth | undefined {
    return this.#incoming.exchange?.auth;
  }

  /** The client, as it described itself. */
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

  /** The request's `_meta`: trace context, progress token, extensions. */
  get meta(): JsonObject {
    const meta = this.#incoming.params?.["_meta"];
    return isJsonObject(meta) ? meta : {};
  }

  /** A header of the request by its lower-case name, on wires that have headers. */
  header(name: string): string | undefined {
    return this.#incoming.exchange?.header?.(name) ?? undefined;
  }

  /** Aborts when the client cancels or is gone, or the deadline passes. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  /** Tells how far the work is; silent where the client did not ask, or the figure did not grow. */
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

  /** Sends a log message to the client, if it wants messages of this weight. */
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
   * Asks the user. In a stateless revision the handler runs again from its start when the answer comes: put what
   * must not happen twice in `once`, or after the last question.
   *
   * @param key names the question within this tool
   */
  input<Content>(key: string, request: FormRequest<Content>): Promise<InputAnswer<Content>>;
  input(key: string, request: UrlRequest): Promise<InputAnswer<undefined>>;
  input(key: string, request: FormRequest<unknown> | UrlRequest): Promise<InputAnswer<unknown>> {
    return this.#ask(key, request.kind === "form" ? askForm(key, request) : this.#askUrl(key, request));
  }

  /** Asks the client's model. */
  sample(key: string, request: SamplingRequest): Promise<SamplingResult> {
    return this.#ask(key, {
      feature: request.tools === undefined ? "sampling" : "sampling-tools",
      method: "sampling/createMessage",
      params: { ...request },
      read(answer) {
        const { role, content, model } = isJsonObject(answer) ? answer : {};
        if (typeof role !== "string" || typeof model !== "string" || !isBlocks(content)) {
          throw unfit(key, "is not a sampling result");
        }
        return answer as SamplingResult; // its three required members were just checked
      },
    });
  }

  /** Asks for the places that the client works in. */
  roots(key: string): Promise<readonly Root[]> {
    return this.#ask(key, {
      feature: "roots",
      method: "roots/list",
      params: {},
      read(answer) {
        const roots = isJsonObject(answer) ? answer["roots"] : undefined;
        if (!Array.isArray(roots) || !roots.every(isRoot)) throw unfit(key, "is not a list of roots");
        return roots;
      },
    });
  }

  /**
   * Runs `task` once in all rounds of this call, and gives its result (as JSON) in the later ones. A client that
   * replays a whole chain of rounds repeats it.
   */
  once<T>(key: string, task: () => MaybePromise<T>): Promise<T> {
    return this.#asking().once(key, task);
  }

  /**
   * Ends the response stream of a long call; the client reconnects and gets the rest there. Only resumable HTTP
   * sessions have such a stream: elsewhere nothing happens, and the call goes on everywhere.
   */
  hangUp(): void {
    this.#incoming.exchange?.hangUp?.();
  }

  /** @internal the questions of this call, if it asked any */
  get questions(): Questions | undefined {
    return this.#questions;
  }

  /** @internal tells the handler to stop */
  abort(reason: unknown): void {
    this.#abortReason = reason ?? new DOMException("The call was cancelled", "AbortError");
    this.#controller?.abort(this.#abortReason);
  }

  /** @internal nothing more is sent for this call */
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

  /** A wire that fails to take a notification shows that on its own; the handler goes on. */
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
        if (checked.issues !== undefined) throw unfit(key, describeIssues(checked.issues));
        return { action, content: checked.value as Content }; // the schema that `Content` comes from accepted it
      });
    },
  };
}

function readAction(key: string, answer: unknown) {
  const { action, content } = isJsonObject(answer) ? answer : {};
  if (action !== "accept" && action !== "decline" && action !== "cancel") {
    throw unfit(key, "has no action of accept, decline or cancel");
  }
  return { action, content } as const;
}

function unfit(key: string, problem: string): McpError {
  return new McpError("INVALID_PARAMS", `The answer to "${key}" does not fit: ${problem}`);
}

function isBlocks(content: unknown): boolean {
  return isJsonObject(content) || Array.isArray(content);
}

function isRoot(value: unknown): value is Root {
  return isJsonObject(value) && typeof value["uri"] === "string";
}
