/**
 * @fileoverview One request on its way through the facade: who asks, over which wire, and what its callbacks are given.
 * @module app/mcp-server/visit
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Call } from "tenon/host";
import type { Caller } from "tenon/host";
import type { Auth, Exchange } from "tenon";
import { isJsonObject } from "@tenon/internal/json";
import {
  type Era,
  type JsonRpcRequest,
  PROTOCOL_VERSION,
  readEnvelope,
  type RequestId,
  TRAITS,
} from "tenon/protocol";
import type { AuthInfo, McpExtra } from "./types.js";

/** What a transport of the official SDK tells of a message. */
export interface SdkFacts {
  readonly authInfo?: AuthInfo;
  readonly requestInfo?: NonNullable<McpExtra["requestInfo"]>;
  readonly sessionId?: string;
  readonly closeSSEStream?: () => void;
  readonly closeStandaloneSSEStream?: () => void;
}

/** The wire's side of a message, with what only such a transport knows. */
export interface FacadeExchange extends Exchange {
  readonly sdk?: SdkFacts;
}

/** A request that has an id. */
export type Request = JsonRpcRequest & { readonly id: RequestId };

/** An error as it is to be sent, where the table of errors has no row for it. */
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
  /** The core's side of it, once a callback runs. */
  call: Call | undefined = undefined;
  /** What replaces the error that the core would send. */
  failure: Failure | undefined = undefined;
  /** How many questions were asked: in the stateless era each has a key, the same in every round. */
  questions = 0;
  /** Whether it was answered: what comes after belongs to the connection, not to the request. */
  isOver = false;
  #controller: AbortController | undefined;

  constructor(message: Request, exchange: Exchange | undefined) {
    this.message = message;
    this.exchange = exchange;
  }

  /** The client: by its connection, or by the request itself where that carries all there is to know. */
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

  /** Aborts when the client cancels or is gone. */
  get signal(): AbortSignal {
    return this.call?.signal ?? (this.#controller ??= new AbortController()).signal;
  }

  /** Stops a callback that the core did not start. */
  abort(reason: unknown): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }
}

/** Finds the request that the code now running belongs to. */
export class RequestScopes {
  readonly #storage = new AsyncLocalStorage<RequestScope>();

  /** The request under way here, if any. */
  get current(): RequestScope | undefined {
    return this.#storage.getStore();
  }

  /** Runs a task for a request. */
  run<Result>(visit: RequestScope, task: () => Result): Result {
    return this.#storage.run(visit, task);
  }

  /** The request of a call that the core has begun; a view of the server begins calls without one. */
  enter(call: Call): RequestScope {
    const visit = this.current ?? new RequestScope({ jsonrpc: "2.0", id: call.id, method: "" }, undefined);
    visit.call = call;
    return visit;
  }
}

/** What a transport tells of a request, in the words of the official SDK. */
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

/** What our wires know of the caller; the token itself stays where it was checked. */
function toAuthInfo({ principal, clientId = principal, scopes, expiresAt }: Auth): AuthInfo {
  const end = expiresAt === undefined ? {} : { expiresAt: Math.floor(expiresAt / 1000) };
  return { token: "", clientId, scopes: [...scopes], ...end };
}

/** The part of what a callback gets that speaks to the client. */
type Senders = Pick<McpExtra, "sendNotification" | "sendRequest">;

/** What a callback gets for one request. */
export function extraOf(visit: RequestScope, senders: Senders): McpExtra {
  const extra = {
    ...factsOf(visit),
    ...senders,
    get signal() {
      return visit.signal;
    },
  };
  return extra;
}
