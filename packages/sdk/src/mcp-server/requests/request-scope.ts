/**
 * @fileoverview One request in the facade: its caller, its transport, and the `extra` of its callbacks.
 * @module sdk/mcp-server/requests/request-scope
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Auth, Exchange } from "tenon";
import type { Call, Caller } from "tenon/host";
import {
  type Era,
  type JsonRpcRequest,
  PROTOCOL_VERSION,
  readEnvelope,
  type RequestId,
  TRAITS,
} from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import type { AuthInfo, McpExtra } from "./types.js";

/** Facts that a transport of the official SDK passes with a message. */
export interface SdkFacts {
  readonly authInfo?: AuthInfo;
  readonly requestInfo?: NonNullable<McpExtra["requestInfo"]>;
  readonly sessionId?: string;
  readonly closeSSEStream?: () => void;
  readonly closeStandaloneSSEStream?: () => void;
}

/** The exchange of a message, with the facts of a transport of the official SDK. */
export interface FacadeExchange extends Exchange {
  readonly sdk?: SdkFacts;
}

/** A request that has an id. */
export type Request = JsonRpcRequest & { readonly id: RequestId };

/** An error with a code that is not in the table of errors. */
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

/** One request. */
export class RequestScope {
  readonly message: Request;
  readonly exchange: FacadeExchange | undefined;
  /** The core's call, set when a callback runs. */
  call: Call | undefined = undefined;
  /** Replaces the error that the core would send. */
  failure: Failure | undefined = undefined;
  /** Number of questions so far. In the stateless era, it gives each question a key that is the same in every round. */
  questions = 0;
  /** True after the request is answered. Later messages belong to the connection, not to the request. */
  isOver = false;
  #controller: AbortController | undefined;

  constructor(message: Request, exchange: Exchange | undefined) {
    this.message = message;
    this.exchange = exchange;
  }

  /** The client, read from its connection or, in the stateless era, from the request itself. */
  get caller(): Caller {
    const connection = this.exchange?.connection;
    if (connection === undefined) return ANONYMOUS_CALLER;
    if (connection.era !== "modern") return connection;
    const envelope = readEnvelope(this.message);
    return "error" in envelope ? ANONYMOUS_CALLER : envelope;
  }

  get era(): Era {
    return TRAITS[this.caller.revision].era;
  }

  /** Aborts when the client cancels or disconnects. */
  get signal(): AbortSignal {
    return this.call?.signal ?? (this.#controller ??= new AbortController()).signal;
  }

  /** Stops a callback that the core did not start. */
  abort(reason: unknown): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }
}

/** Finds the request of the running code. */
export class RequestScopes {
  readonly #storage = new AsyncLocalStorage<RequestScope>();

  /** The current request, if any. */
  get current(): RequestScope | undefined {
    return this.#storage.getStore();
  }

  /** Runs a task for a request. */
  run<Result>(scope: RequestScope, task: () => Result): Result {
    return this.#storage.run(scope, task);
  }

  /** Adds the core's call to its request. Views of the server start calls without a request. */
  enter(call: Call): RequestScope {
    const scope = this.current ?? new RequestScope({ jsonrpc: "2.0", id: call.id, method: "" }, undefined);
    scope.call = call;
    return scope;
  }
}

/** Returns the facts of a request under the names of the official SDK. */
function factsOf({ exchange, message }: RequestScope): Omit<McpExtra, "signal" | keyof Senders> {
  const { sdk, auth } = exchange ?? {};
  const authInfo = sdk?.authInfo ?? (auth === undefined ? undefined : toAuthInfo(auth));
  const meta = message.params?.["_meta"];
  const { requestInfo, sessionId, closeSSEStream, closeStandaloneSSEStream } = sdk ?? {};
  return {
    requestId: message.id,
    ...(isJsonObject(meta) ? { _meta: meta } : {}),
    ...(authInfo === undefined ? {} : { authInfo }),
    ...(requestInfo === undefined ? {} : { requestInfo }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(closeSSEStream === undefined ? {} : { closeSSEStream }),
    ...(closeStandaloneSSEStream === undefined ? {} : { closeStandaloneSSEStream }),
  };
}

/** Converts the caller's authorization. The token itself is not included. */
function toAuthInfo({ principal, clientId = principal, scopes, expiresAt }: Auth): AuthInfo {
  const end = expiresAt === undefined ? {} : { expiresAt: Math.floor(expiresAt / 1000) };
  return { token: "", clientId, scopes: [...scopes], ...end };
}

/** Members of `extra` that send to the client. */
type Senders = Pick<McpExtra, "sendNotification" | "sendRequest">;

/** Creates the `extra` argument of a callback. */
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
