/**
 * @fileoverview State of one request: its caller, its transport, and the `extra` argument for callbacks.
 * @module sdk/server/requests/request-scope
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Auth, type Exchange, PROTOCOL_VERSION } from "tenon";
import type { Call, Caller } from "tenon/host";
import { type Era, type JsonRpcRequest, readEnvelope, type RequestId, TRAITS } from "tenon/protocol";
import { isJsonObject, type JsonObject, withoutUndefined } from "@tenon/internal/json";
import { isPromise } from "@tenon/internal/maybe-promise";
import type { SdkExchange } from "../../adapters/sdk-shapes.js";
import type { AuthInfo, CacheHint, McpExtra } from "../../types.js";

/** An exchange with the data that an official SDK transport passed along with the message. */
export interface DropInExchange extends Exchange, SdkExchange {}

/** A request with a valid ID. */
export type Request = JsonRpcRequest & { readonly id: RequestId };

/** Error to send to the client. Applications may use codes that the error table does not contain. */
export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const ANONYMOUS_CALLER: Caller = {
  revision: PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: undefined,
  logLevel: undefined,
};

function readCaller(message: Request): Caller {
  const envelope = readEnvelope(message);
  return "error" in envelope ? ANONYMOUS_CALLER : envelope;
}

/** State of one request, from its arrival until after its response. */
export class RequestScope {
  readonly message: Request;
  readonly exchange: DropInExchange | undefined;
  /** The core's call. Set when a callback starts. */
  call: Call | undefined = undefined;
  /** Error to send instead of the core's error. */
  failure: Failure | undefined = undefined;
  /** Result to send instead of the core's result. */
  reply: JsonObject | undefined = undefined;
  /** Cache hint of the resource that is read. */
  cacheHint: CacheHint | undefined = undefined;
  /** True for a list that depends on the caller's scopes. Shared caches must not store it. */
  isScopedList = false;
  /** Number of requests for input so far. Gives each one a key that is the same whenever the callback runs again. */
  questions = 0;
  /** True once the response is complete. Later messages are sent over the connection instead. */
  isOver = false;
  #controller: AbortController | undefined;
  #modernCaller: Caller | undefined;

  constructor(message: Request, exchange: Exchange | undefined) {
    this.message = message;
    this.exchange = exchange;
  }

  /** The calling client, read from its connection or, in the stateless revision, from the request itself. */
  get caller(): Caller {
    if (this.call?.taskId !== undefined) return this.call.incoming.caller;
    const connection = this.exchange?.connection;
    if (connection === undefined) return ANONYMOUS_CALLER;
    return connection.era === "modern" ? (this.#modernCaller ??= readCaller(this.message)) : connection;
  }

  get era(): Era {
    return TRAITS[this.caller.revision].era;
  }

  /** Aborts when the client cancels or disconnects. */
  get signal(): AbortSignal {
    return this.call?.signal ?? (this.#controller ??= new AbortController()).signal;
  }

  /** Aborts the signal of a callback that the core did not start. */
  abort(reason: unknown): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }
}

/** A request of one server, and the request of another server whose callback sent it, if any. */
interface Frame {
  readonly owner: RequestScopes;
  readonly scope: RequestScope;
  readonly parent: Frame | undefined;
  readonly depth: number;
}

/** Maximum number of nested servers. Bounds the memory if each request causes another one in the same process. */
const MAX_DEPTH = 16;

/**
 * Storage of all servers. Before Node 24, each storage that was used once slows down every promise of the process, and
 * some applications create a server for each request.
 */
const storage = /* @__PURE__ */ new AsyncLocalStorage<Frame>();

/**
 * Tracks the request that the running code belongs to, across `await`. The first request of a server is tracked without
 * the storage, which takes as long as the rest of a call if a server is created for every request.
 */
export class RequestScopes {
  readonly #isAttached: () => boolean;
  /** The first request. Code without a frame belongs to it while it runs. */
  #first: RequestScope | undefined;
  #state: "none" | "running" | "over" | "many" = "none";

  /** @param isAttached returns true if the server has a connection, which receives messages outside a callback */
  constructor(isAttached: () => boolean = () => false) {
    this.#isAttached = isAttached;
  }

  /** The current request, or `undefined` outside a callback. */
  get current(): RequestScope | undefined {
    let frame = storage.getStore();
    while (frame !== undefined && frame.owner !== this) frame = frame.parent;
    if (frame !== undefined) return frame.scope;
    // After a response, messages of a server without a connection are dropped.
    const isLate = this.#state === "over" && !this.#isAttached();
    return this.#state === "running" || isLate ? this.#first : undefined;
  }

  /** Runs a task with `scope` as the current request. */
  run<Result>(scope: RequestScope, task: () => Result): Result {
    if (this.#state === "none") return this.#runFirst(scope, task);
    if (this.#state === "over") {
      this.#state = "many";
      this.#first = undefined;
    }
    return this.#runInFrame(scope, task);
  }

  #runFirst<Result>(scope: RequestScope, task: () => Result): Result {
    this.#first = scope;
    this.#state = "running";
    const end = () => {
      this.#state = "over";
    };
    try {
      const result = task();
      if (isPromise(result)) void result.then(end, end);
      else end();
      return result;
    } catch (error) {
      end();
      throw error;
    }
  }

  #runInFrame<Result>(scope: RequestScope, task: () => Result): Result {
    const around = storage.getStore();
    const parent = around?.owner === this ? around.parent : around;
    const depth = (parent?.depth ?? 0) + 1;
    const frame = depth > MAX_DEPTH ? { parent: undefined, depth: 1 } : { parent, depth };
    return storage.run({ owner: this, scope, ...frame }, task);
  }

  /**
   * Attaches the core's call to the current request. Server views and tasks start calls without a request, so one is
   * created. The current request of a task may belong to a different client.
   */
  enter(call: Call): RequestScope {
    const scope =
      call.taskId === undefined
        ? (this.current ?? new RequestScope({ jsonrpc: "2.0", id: call.id, method: "" }, undefined))
        : createTaskScope(call);
    scope.call = call;
    return scope;
  }
}

/** Creates the scope of a task. Its progress token lets callbacks report progress, which becomes the status message. */
function createTaskScope({ incoming, id, meta, taskId }: Call): RequestScope {
  const { method, params, exchange } = incoming;
  const message = {
    jsonrpc: "2.0",
    id,
    method,
    params: { ...params, _meta: { ...meta, progressToken: taskId } },
  } as const;
  return new RequestScope(message, exchange);
}

/** Returns a request's data under the official SDK's property names. */
function factsOf({ exchange, message }: RequestScope): Omit<McpExtra, "signal" | keyof Senders> {
  const { sdk, auth } = exchange ?? {};
  const { _meta: meta } = message.params ?? {};
  // Safe: the transport is the one of the SDK's version 1
  const { authInfo, requestInfo, sessionId, closeSSEStream, closeStandaloneSSEStream } = (sdk ??
    {}) as McpExtra;
  const facts = { requestInfo, sessionId, closeSSEStream, closeStandaloneSSEStream };
  return {
    requestId: message.id,
    ...withoutUndefined({ authInfo: authInfo ?? (auth && toAuthInfo(auth)), ...facts }),
    ...(isJsonObject(meta) ? { _meta: meta } : {}),
  };
}

/** Converts the caller's authorization to the official SDK's form. `token` is always empty. */
export function toAuthInfo({ principal, clientId = principal, scopes, expiresAt }: Auth): AuthInfo {
  const end = expiresAt === undefined ? {} : { expiresAt: Math.floor(expiresAt / 1000) };
  return { token: "", clientId, scopes: [...scopes], ...end };
}

/** Members of `extra` that send messages to the client or use its tasks. */
type Senders = Pick<
  McpExtra,
  "sendNotification" | "sendRequest" | "taskId" | "taskStore" | "taskRequestedTtl"
>;

/** Creates a callback's `extra` argument. */
export function extraOf(scope: RequestScope, senders: Senders): McpExtra {
  const extra = {
    ...factsOf(scope),
    ...senders,
    get signal() {
      return scope.signal;
    },
  };
  return extra;
}
