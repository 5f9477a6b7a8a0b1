/**
 * @fileoverview The server behind `createMcpHandler`: creates a server from the application's factory for each request.
 * @module sdk/v2/serving/http-host
 */
import type { Exchange, LogSink, McpResponse } from "tenon";
import { type Connection, emptyResponse, errorResponse, type HostedServer } from "tenon/host";
import { describeInvalidMessage, type JsonRpcMessage, messageKind, MODERN_REVISIONS } from "tenon/protocol";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { refusalOf } from "../../server/requests/own-methods.js";
import type { Request } from "../../server/requests/request-scope.js";
import type { AuthInfo } from "../types.js";
import {
  closeServer,
  createFrom,
  endServer,
  type McpServerFactory,
  type CreatedServer,
  refuseRemoved,
  toError,
  withFacts,
} from "./created-server.js";
import { assertChallenge, challengeFor, toChallengeResponse } from "./scope-challenge.js";
import type { ListenHub } from "./subscriptions.js";

/** One HTTP request in progress. */
export interface HttpCall {
  readonly request: globalThis.Request;
  readonly authInfo: AuthInfo | undefined;
  /** Response to send instead of the transport's. */
  override: Response | undefined;
}

/** Settings of the host. */
interface HostOptions {
  readonly hub: ListenHub;
  /** True to reject requests of earlier revisions. */
  readonly isModernOnly: boolean;
  /** True if replies are JSON, which cannot contain notifications. */
  readonly dropsNotifications: boolean;
  readonly onerror: (error: Error) => void;
}

/** Maximum number of requests that are handled at the same time. */
const MAX_REQUESTS = 10_000;

/** Creates a server for each request, and passes the request to it. */
export class HttpHost implements HostedServer<HttpCall | undefined> {
  readonly #factory: McpServerFactory;
  readonly #options: HostOptions;
  /** Messages that servers handle. Those of a batch have the same connection. */
  readonly #running = new Set<{ readonly connection: Connection }>();
  #starting: HttpCall | undefined;
  #sink: LogSink | undefined;
  #isClosed = false;

  constructor(factory: McpServerFactory, options: HostOptions) {
    this.#factory = factory;
    this.#options = options;
  }

  /** Runs the transport for an HTTP request. The transport authenticates it at once. */
  run<Result>(call: HttpCall, task: () => Result): Result {
    this.#starting = call;
    try {
      return task();
    } finally {
      this.#starting = undefined;
    }
  }

  /** The request that the transport authenticates, which becomes the context of its messages. */
  get starting(): HttpCall | undefined {
    return this.#starting;
  }

  /** Time at which the caller's token expires, in milliseconds since the epoch. Listening streams end with it. */
  get validUntil(): number | undefined {
    const expiresAt = this.#starting?.authInfo?.expiresAt;
    return expiresAt === undefined ? undefined : expiresAt * 1_000;
  }

  handle(
    message: JsonRpcMessage,
    call: HttpCall | undefined,
    exchange?: Exchange,
  ): MaybePromise<McpResponse> {
    const kind = messageKind(message);
    if (call === undefined || exchange === undefined) return emptyResponse;
    const isLegacy = exchange.connection.era !== "modern";
    if (isLegacy && !this.#accepts(message, exchange, call)) return emptyResponse;
    if (kind === "response" || kind === "invalid") return emptyResponse;
    if (kind === "notification") {
      if (isLegacy && !this.#options.isModernOnly) void this.#notify(message, exchange, call);
      return emptyResponse;
    }
    const request = message as Request; // Safe: the kind was checked
    const refusal = isLegacy
      ? this.#refuseLegacy(request, exchange)
      : (refuseRemoved(request) ?? refusalOf(request, exchange));
    if (refusal !== undefined) {
      this.#options.onerror(new Error(`Rejected ${request.method}: ${refusal.toText()}`));
      return refusal;
    }
    if (this.#running.size >= MAX_REQUESTS)
      return errorResponse(request.id, { ...BUSY, era: eraOf(exchange) });
    return this.#serve(request, exchange, call);
  }

  /** Each request has its own server, so changes reach clients only through the event bus. */
  attach(): () => void {
    return () => {};
  }

  useLog(sink: LogSink): void {
    this.#sink ??= sink;
  }

  /** Cancels all requests in flight, and ends all listening streams. */
  close(): void {
    this.#isClosed = true;
    this.#options.hub.close();
    for (const { connection } of this.#running) connection.close();
  }

  async #serve(message: Request, exchange: Exchange, call: HttpCall): Promise<McpResponse> {
    try {
      return await this.#withServer(exchange, call, (created) =>
        this.#answer(message, exchange, { created, call }),
      );
    } catch (error) {
      this.#options.onerror(toError(error));
      call.override = Response.json(
        { jsonrpc: "2.0", error: { code: -32603, message: "Internal server error" }, id: message.id },
        { status: 500 },
      );
      return emptyResponse;
    }
  }

  async #answer(
    message: Request,
    exchange: Exchange,
    { created, call }: { readonly created: CreatedServer; readonly call: HttpCall },
  ): Promise<McpResponse> {
    const { server, mcpServer } = created;
    if (eraOf(exchange) === "modern" && message.method === "subscriptions/listen") {
      const { capabilities, hosted } = server;
      const isHidden = (uri: string) => mcpServer?.isHidden(uri, call.authInfo) === true;
      const listened = { capabilities, info: hosted.info, isHidden };
      return this.#options.hub.listen(message, exchange, listened);
    }
    if ((await this.#challenges(message, created, call)) || this.#isOver(call)) return emptyResponse;
    const { dropsNotifications } = this.#options;
    const known = withFacts(exchange, call, { dropsNotifications });
    const response = await server.hosted.handle(message, undefined, known);
    if (response.error === "INSUFFICIENT_SCOPE") call.override = challengeFor(response, call.authInfo);
    return response;
  }

  async #notify(message: JsonRpcMessage, exchange: Exchange, call: HttpCall): Promise<void> {
    if (this.#running.size >= MAX_REQUESTS) return this.#options.onerror(new Error(BUSY.message));
    try {
      await this.#withServer(exchange, call, async ({ server }) =>
        server.hosted.handle(message, undefined, withFacts(exchange, call)),
      );
    } catch (error) {
      this.#options.onerror(toError(error));
    }
  }

  /** Creates a server, and closes it after `use`. Skips `use` if the client has left while the factory ran. */
  async #withServer(
    exchange: Exchange,
    call: HttpCall,
    use: (created: CreatedServer) => Promise<McpResponse>,
  ): Promise<McpResponse> {
    const { authInfo, request } = call;
    const { onerror } = this.#options;
    const { connection } = exchange;
    const era = eraOf(exchange);
    const running = { connection };
    this.#running.add(running);
    let created: CreatedServer | undefined;
    try {
      const auth = authInfo === undefined ? {} : { authInfo };
      created = await createFrom(this.#factory, { era, ...auth, requestInfo: request }, this.#sink);
      return this.#isOver(call) ? emptyResponse : await use(created);
    } finally {
      this.#running.delete(running);
      if (era === "modern") endServer(created, onerror);
      else closeServer(created, onerror);
    }
  }

  /** Returns true if the client of a request has left, or the endpoint has closed. */
  #isOver({ request }: HttpCall): boolean {
    return this.#isClosed || request.signal.aborted;
  }

  /** Returns true if the request needs more scopes. The response is then the challenge. */
  async #challenges(message: Request, { mcpServer }: CreatedServer, call: HttpCall): Promise<boolean> {
    if (mcpServer === undefined) return false;
    const { authInfo } = call;
    const { jsonrpc, id, method, params } = message;
    const challenge = await mcpServer.resolveScopeChallenge({
      request: { jsonrpc: jsonrpc, id, method, ...(params === undefined ? {} : { params }) },
      ...(authInfo === undefined ? {} : { authInfo }),
    });
    if (challenge === undefined) return false;
    assertChallenge(challenge);
    call.override = toChallengeResponse(challenge, authInfo);
    return true;
  }

  /**
   * Returns true if the endpoint accepts what the client has posted. Otherwise, the response is the reason. The first
   * message of a batch decides for all of them.
   */
  #accepts(message: JsonRpcMessage, exchange: Exchange, call: HttpCall): boolean {
    const { posted, connection, disconnected } = exchange;
    const { isModernOnly, onerror } = this.#options;
    if (call.override !== undefined) return false;
    if (Array.isArray(posted) && posted[0] !== message) return true;
    const problem = Array.isArray(posted)
      ? describeBatch(posted, isModernOnly)
      : isModernOnly && messageKind(message) === "response"
        ? NO_RESPONSES
        : undefined;
    if (problem === undefined) {
      // Without a session, a client that has left cannot receive anything, and cannot cancel its calls.
      disconnected?.addEventListener("abort", () => connection.close());
      return true;
    }
    onerror(new Error(`Rejected a message: ${problem}`));
    call.override = refusePost(problem);
    return false;
  }

  #refuseLegacy({ id, method, params }: Request, exchange: Exchange): McpResponse | undefined {
    if (!this.#options.isModernOnly) return undefined;
    const named =
      method === "initialize" ? params?.["protocolVersion"] : exchange.header?.("mcp-protocol-version");
    return unsupportedVersion(id, named);
  }
}

/** Creates the error for a request of a revision that is not served. */
export function unsupportedVersion(id: Request["id"], requested: unknown): McpResponse {
  const isNamed = typeof requested === "string";
  const shown = isNamed ? requested.slice(0, 64) : "the request did not name a protocol version";
  return errorResponse(id, {
    error: "UNSUPPORTED_VERSION",
    message: `Unsupported protocol version: ${shown}`,
    data: { supported: MODERN_REVISIONS, ...(isNamed ? { requested: shown } : {}) },
    era: "modern",
  });
}

/** Describes why a batch is not accepted. Returns `undefined` for a valid one. */
function describeBatch(batch: readonly unknown[], isModernOnly: boolean): string | undefined {
  const invalid = batch.findIndex((one) => messageKind(one) === "invalid");
  if (invalid === -1) return isModernOnly ? NO_BATCHES : undefined;
  return `Message ${invalid + 1} of the batch is invalid: ${describeInvalidMessage(batch[invalid])}`;
}

function refusePost(message: string): Response {
  const response = errorResponse(null, { error: "INVALID_REQUEST", message, era: "modern" });
  const headers = { "content-type": "application/json" };
  return new Response(response.toText(), { status: response.status, headers });
}

const NO_BATCHES = "This endpoint does not accept batches. Send each request separately.";
const NO_RESPONSES = "This endpoint does not accept responses, because it sends no requests to clients.";

const BUSY = {
  error: "TOO_MANY_CALLS",
  message: `Too many calls in flight on this server (limit: ${MAX_REQUESTS}). Try again later.`,
} as const;

function eraOf({ connection }: Exchange): "legacy" | "modern" {
  return connection.era === "modern" ? "modern" : "legacy";
}
