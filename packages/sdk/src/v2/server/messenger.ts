/**
 * @fileoverview Sends requests and notifications to clients, in the rules of each protocol version.
 * @module sdk/v2/server/messenger
 */
import type { Caller } from "tenon/host";
import { LOG_LEVELS, type LogLevel, MODERN_REVISIONS, TRAITS } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ClientMessenger } from "../../server/base-server.js";
import {
  describeUndeclared,
  describeUndeclaredByClient,
  describeUnsupported,
  NO_URL_ELICITATION,
} from "../../server/capabilities.js";
import { askCaller, askConnection, reportToTask, toMessage } from "../../server/client/requests.js";
import type { Attached, DropInServer } from "../../server/drop-in-server.js";
import type { RequestScope } from "../../server/requests/request-scope.js";
import {
  assertSupported,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  toRequestError,
} from "../errors.js";
import { invalidState, type RoundHost } from "../input/rounds.js";
import type { AskOptions, OutgoingNotification, OutgoingRequest, StandardSchema } from "../types.js";
import type { Settings } from "./options.js";
import { parse } from "./schemas.js";

/** Last arguments of `send`: an optional schema, and options. */
interface SendArguments {
  readonly schema: StandardSchema | undefined;
  readonly options: AskOptions;
}

/** Returns the last arguments of `send`. Without a schema, the first of them is the options. */
export function toSendArguments(schemaOrOptions: unknown, options: AskOptions = {}): SendArguments {
  const isObject = typeof schemaOrOptions === "object" && schemaOrOptions !== null;
  if ((isObject || typeof schemaOrOptions === "function") && "~standard" in schemaOrOptions)
    return { schema: schemaOrOptions as StandardSchema, options }; // Safe: only schemas have the member
  return { schema: undefined, options: schemaOrOptions ?? {} };
}

/** Parts of a server that the messenger uses. */
export interface MessengerHost {
  readonly hosted: DropInServer;
  readonly settings: Settings;
  readonly capabilities: JsonObject;
}

/** Requests that a server may send. The stateless revision does not have them. */
const CLIENT_METHODS: readonly string[] = [
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
  "ping",
];
const COMPLETED = "notifications/elicitation/complete";

/** Sends messages to the clients of one server. */
export class V2Messenger implements ClientMessenger {
  readonly #host: MessengerHost;
  #last: Caller | undefined;

  constructor(host: MessengerHost) {
    this.#host = host;
  }

  /** The request that the running code belongs to. */
  get scope(): RequestScope | undefined {
    return this.#host.hosted.requestScopes.current;
  }

  /** The calling client or, outside a callback, the connected one. After the connection has ended, the last one. */
  get client(): Caller | undefined {
    const { scope } = this;
    if (scope !== undefined) return hasClient(scope) ? scope.caller : undefined;
    const attached = this.#attached();
    if (attached === undefined) return this.#last;
    return attached.connection.clientInfo === undefined ? undefined : attached.connection;
  }

  /** Remembers the client of a request. */
  remember(scope: RequestScope): void {
    if (hasClient(scope)) this.#last = scope.caller;
  }

  /** Asserts that requests to the client are possible. @throws {SdkError} in the stateless revision */
  assertPush(method: string): void {
    const revision = this.#modernRevision();
    if (revision === undefined) return;
    const text =
      `'${method}' cannot be sent in protocol revision ${revision}, which has no requests to the client. ` +
      "Return inputRequired({ … }) from the callback instead.";
    throw new SdkError(SdkErrorCode.MethodNotSupportedByProtocolVersion, text, { method, era: revision });
  }

  /** Asserts that the client can open pages. @throws {SdkError} if it cannot */
  assertUrlClient(): void {
    if (this.client?.capabilities.elicitation?.url === undefined) assertSupported(NO_URL_ELICITATION);
  }

  /** Asserts that the client supports a request for input or sampling. @throws {SdkError} if it does not */
  assertSupported(request: OutgoingRequest): void {
    this.assertPush(request.method);
    assertSupported(describeUnsupported(request, this.client?.capabilities));
  }

  createError(text: string): Error {
    return new ProtocolError(ProtocolErrorCode.InvalidParams, text);
  }

  convertError(error: unknown): unknown {
    return toRequestError(error);
  }

  /** Sends a request for the running callback, or over the connection. */
  async ask(request: OutgoingRequest, options: AskOptions, scope = this.scope): Promise<unknown> {
    this.assertPush(request.method);
    const { isStrict } = this.#host.settings;
    if (isStrict) assertSupported(describeUndeclaredByClient(request.method, this.client?.capabilities));
    return requestFrom(this.#line(scope), request, options);
  }

  /** Sends a request, and parses its result if a schema is given. */
  async send(
    scope: RequestScope | undefined,
    request: OutgoingRequest,
    { schema, options }: SendArguments,
  ): Promise<unknown> {
    const { method } = request;
    const revision = this.#modernRevision(scope);
    const isKnown = CLIENT_METHODS.includes(method);
    if (isKnown && revision !== undefined) {
      throw notInRevision(`Method '${method}'`, method, revision);
    }
    if (schema === undefined && !isKnown) {
      throw new TypeError(`'${method}' is not a request of MCP. Pass a schema for its result.`);
    }
    if (this.#host.settings.isStrict)
      assertSupported(describeUndeclaredByClient(method, this.client?.capabilities));
    const result = await requestFrom(this.#line(scope), request, options);
    if (schema === undefined) return result;
    try {
      return await parse(schema, result, `Invalid result for ${method}`);
    } catch (error) {
      throw new SdkError(SdkErrorCode.InvalidResult, error instanceof Error ? error.message : String(error));
    }
  }

  /** Sends a notification related to a request. */
  async notify(scope: RequestScope, notification: OutgoingNotification): Promise<void> {
    this.#assertMayNotify(notification.method, scope);
    if (scope.signal.aborted || (await reportToTask(scope, notification))) return;
    const message = toMessage(notification);
    if (!scope.isOver) return await scope.exchange?.notify?.(message);
    for (const { connection, notify } of this.#host.hosted.attached) {
      if (connection === scope.exchange?.connection) await notify(message);
    }
  }

  /** Sends a log message related to a request, if the client wants it. */
  async log(
    scope: RequestScope,
    level: LogLevel,
    { data, logger }: { readonly data: unknown; readonly logger: string | undefined },
  ): Promise<void> {
    const { capabilities } = this.#host;
    const wanted = scope.caller.logLevel;
    // In the stateless revision, a client that does not name a level receives no log messages.
    const isUnwanted = scope.era === "modern" && wanted === undefined;
    if (!capabilities["logging"] || isUnwanted || isBelow(level, wanted)) return;
    const params = { level, data, ...(logger === undefined ? {} : { logger }) };
    await this.notify(scope, { method: "notifications/message", params });
  }

  /** Sends a notification over the connection. Notifications without one, as in a single HTTP request, are dropped. */
  async publish(notification: OutgoingNotification): Promise<void> {
    this.#assertMayNotify(notification.method, this.scope);
    await this.#publish(notification);
  }

  /** Creates the functions that callbacks asking for input need. */
  roundsOf(scope: RequestScope): RoundHost {
    const { hosted, settings } = this.#host;
    return {
      settings: settings.rounds,
      capabilities: hasClient(scope) ? scope.caller.capabilities : undefined,
      verify: async (state, ctx) => {
        try {
          return await settings.verify?.(state, ctx);
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          hosted.report(
            new Error(`requestState verification rejected ${scope.message.method}: ${reason}`),
            scope.message.method,
          );
          throw invalidState();
        }
      },
      ask: (request, given) =>
        scope.call?.taskId === undefined
          ? requestFrom(this.#line(scope), request, given)
          : askCaller(scope, request, {}),
    };
  }

  async #publish(notification: OutgoingNotification): Promise<void> {
    const { hosted } = this.#host;
    const { method, params } = notification;
    const [, list] = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(method) ?? [];
    if (list !== undefined && params === undefined) {
      // Safe: the pattern allows only these three.
      return hosted.notifyListChanged(list as "tools" | "resources" | "prompts");
    }
    const isUpdate = method === "notifications/resources/updated";
    if (isUpdate && isJsonObject(params)) await hosted.resourceUpdated(String(params["uri"]));
    for (const { connection, notify } of hosted.attached) {
      // In the stateless revision, changes reach only clients that listen for them.
      const isForListeners = connection.era === "modern" && (isUpdate || list !== undefined);
      if (!isForListeners) await notify(toMessage(notification));
    }
  }

  #assertMayNotify(method: string, scope: RequestScope | undefined): void {
    const revision = this.#modernRevision(scope);
    if (method === COMPLETED && revision !== undefined) {
      throw notInRevision(`Notification '${method}'`, method, revision);
    }
    if (method === COMPLETED) this.assertUrlClient();
    assertSupported(describeUndeclared(method, this.#host.capabilities));
  }

  /** Returns the revision if it is stateless. */
  #modernRevision(scope = this.scope): string | undefined {
    const revision = scope?.caller.revision ?? this.#modernConnection();
    return revision !== undefined && TRAITS[revision].era === "modern" ? revision : undefined;
  }

  #modernConnection() {
    const connection = this.#attached()?.connection;
    return connection?.era === "modern" ? MODERN_REVISIONS[0] : undefined;
  }

  #attached(): Attached | undefined {
    return [...this.#host.hosted.attached].at(-1);
  }

  /** Returns the connection of a request or, if it is over, the server's own. @throws if there is none */
  #line(scope: RequestScope | undefined): Attached {
    const exchange = scope?.exchange;
    if (scope?.isOver === false && exchange?.notify !== undefined && exchange.request !== undefined) {
      return { connection: exchange.connection, notify: (message) => exchange.notify?.(message) };
    }
    const attached = this.#attached();
    if (attached === undefined || (scope !== undefined && !scope.isOver)) {
      throw new SdkError(SdkErrorCode.NotConnected, "Not connected");
    }
    return attached;
  }
}

/** Returns true if the client declared its capabilities, in this request or when it connected. */
function hasClient(scope: RequestScope): boolean {
  return scope.era === "modern" || scope.exchange?.connection.clientInfo !== undefined;
}

/** Returns true if a log level is below the client's. */
export function isBelow(level: LogLevel, wanted: LogLevel | undefined): boolean {
  return wanted !== undefined && LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(wanted);
}

/** Creates the error for a message that a revision does not have. @param subject message, with its kind */
function notInRevision(subject: string, method: string, era: string): SdkError {
  const text = `${subject} is not supported by the negotiated protocol version (wire era ${era})`;
  return new SdkError(SdkErrorCode.MethodNotSupportedByProtocolVersion, text, { method, era });
}

/** Sends a request and resolves with the client's result. @throws {ProtocolError | SdkError} if it fails */
export async function requestFrom(
  attached: Attached,
  request: OutgoingRequest,
  options: AskOptions,
): Promise<unknown> {
  const { signal } = options;
  if (signal?.aborted === true) {
    const { reason } = signal as { readonly reason: unknown };
    throw reason instanceof SdkError ? reason : new SdkError(SdkErrorCode.RequestTimeout, String(reason));
  }
  try {
    return await askConnection(attached, request, options);
  } catch (error) {
    throw toRequestError(error);
  }
}
