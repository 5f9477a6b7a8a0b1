/**
 * @fileoverview Creates the last argument of callbacks: `ctx`.
 * @module sdk/v2/server/context
 */
import type { BaseServer } from "../../mcp-server/base-server.js";
import {
  type FacadeExchange,
  type RequestScope,
  toAuthInfo,
} from "../../mcp-server/requests/request-scope.js";
import type { AskOptions, AuthInfo, OutgoingRequest, ServerContext } from "../types.js";
import { splitParams } from "../input/wire-params.js";
import { type Messenger, toSendArguments } from "./messenger.js";

/** Data that a transport passes along with a message. Official transports and our own use the same names. */
export interface TransportFacts {
  readonly authInfo?: AuthInfo | undefined;
  readonly request?: globalThis.Request | undefined;
  readonly sessionId?: string | undefined;
  readonly closeSSEStream?: (() => void) | undefined;
  readonly closeStandaloneSSEStream?: (() => void) | undefined;
}

/** Server functions that a context contains. */
export interface ContextHost {
  readonly messenger: Pick<Messenger, "log" | "notify" | "send">;
  readonly server: Pick<BaseServer, "createMessage" | "elicitInput">;
}

/** Creates the context of a request. */
export function createContext(scope: RequestScope, { messenger, server }: ContextHost): ServerContext {
  const { id, method } = scope.message;
  const { meta, envelope, inputResponses, droppedKeys, requestState } = splitParams(scope.message);
  const facts = factsOf(scope.exchange);
  const mcpReq: ServerContext["mcpReq"] = {
    id,
    method,
    _meta: meta,
    ...(envelope === undefined ? {} : { envelope }),
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(droppedKeys.length === 0 ? {} : { droppedInputResponseKeys: [...droppedKeys] }),
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in the official SDK
    requestState: <T>() => requestState as T | undefined, // Safe: the caller states the type of its own state
    get signal() {
      return scope.signal;
    },
    send: (request: OutgoingRequest, schemaOrOptions?: unknown, options?: AskOptions) =>
      messenger.send(scope, request, toSendArguments(schemaOrOptions, options)),
    notify: (notification) => messenger.notify(scope, notification),
    log: (level, data, logger) => messenger.log(scope, level, { data, logger }),
    elicitInput: (params, options) => server.elicitInput(params, options),
    requestSampling: (params, options) => server.createMessage(params, options),
  };
  return { sessionId: facts.sessionId, mcpReq, http: toHttp(facts) };
}

/** Returns the data that the transport passed along, or that Tenon's transports know. */
export function factsOf(exchange: FacadeExchange | undefined): TransportFacts {
  const facts = (exchange?.sdk ?? {}) as TransportFacts; // Safe: every member is optional
  if (facts.authInfo !== undefined || exchange?.auth === undefined || exchange.sdk !== undefined)
    return facts;
  return { ...facts, authInfo: toAuthInfo(exchange.auth) };
}

function toHttp(facts: TransportFacts): ServerContext["http"] {
  const { authInfo, request, closeSSEStream, closeStandaloneSSEStream } = facts;
  const isHttp = [authInfo, request, closeSSEStream, closeStandaloneSSEStream].some(
    (one) => one !== undefined,
  );
  if (!isHttp) return undefined;
  return {
    ...(authInfo === undefined ? {} : { authInfo }),
    req: request,
    closeSSE: closeSSEStream,
    closeStandaloneSSE: closeStandaloneSSEStream,
  };
}
