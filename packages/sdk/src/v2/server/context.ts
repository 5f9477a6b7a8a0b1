/**
 * @fileoverview Creates the last argument of callbacks: `ctx`.
 * @module sdk/v2/server/context
 */
import type { Auth } from "tenon";
import type { LogLevel } from "tenon/protocol";
import type { FacadeExchange, RequestScope } from "../../mcp-server/requests/request-scope.js";
import type {
  AskOptions,
  AuthInfo,
  ElicitParams,
  ElicitResult,
  OutgoingNotification,
  OutgoingRequest,
  SamplingResult,
  ServerContext,
  StandardSchema,
} from "../types.js";
import { splitParams } from "../input/wire-params.js";

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
  send(scope: RequestScope, request: OutgoingRequest, given: SendArguments): Promise<unknown>;
  notify(scope: RequestScope, notification: OutgoingNotification): Promise<void>;
  log(
    scope: RequestScope,
    level: LogLevel,
    message: { data: unknown; logger: string | undefined },
  ): Promise<void>;
  elicitInput(params: ElicitParams, options?: AskOptions): Promise<ElicitResult>;
  createMessage(params: object, options?: AskOptions): Promise<SamplingResult>;
}

/** Last arguments of `send`: an optional schema, and options. */
export interface SendArguments {
  readonly schema: StandardSchema | undefined;
  readonly options: AskOptions;
}

/** Creates the context of a request. */
export function createContext(scope: RequestScope, host: ContextHost): ServerContext {
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
      // Safe: without a schema, the second argument is the options.
      host.send(
        scope,
        request,
        isSchema(schemaOrOptions)
          ? { schema: schemaOrOptions, options: options ?? {} }
          : { schema: undefined, options: schemaOrOptions ?? {} },
      ),
    notify: (notification) => host.notify(scope, notification),
    log: (level, data, logger) => host.log(scope, level, { data, logger }),
    elicitInput: (params, options) => host.elicitInput(params, options),
    requestSampling: (params, options) => host.createMessage(params, options),
  };
  return { sessionId: facts.sessionId, mcpReq, http: toHttp(facts) };
}

/** Recognizes a Standard Schema, as opposed to options. */
export function isSchema(value: unknown): value is StandardSchema {
  return (
    ((typeof value === "object" && value !== null) || typeof value === "function") && "~standard" in value
  );
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

/** Converts the authorization of Tenon's transports. `token` is always empty. */
function toAuthInfo({ principal, clientId = principal, scopes, expiresAt }: Auth): AuthInfo {
  const end = expiresAt === undefined ? {} : { expiresAt: Math.floor(expiresAt / 1_000) };
  return { token: "", clientId, scopes: [...scopes], ...end };
}
