/**
 * @fileoverview The server behind `serveStdio`: decides by the first messages of a connection which revisions its
 * client uses, and creates a server for it.
 * @module sdk/v2/serving/stdio-host
 */
import type { Exchange, LogSink, McpResponse } from "tenon";
import { Connection, emptyResponse, errorResponse, type HostedServer } from "tenon/host";
import {
  classifyEra,
  type Era,
  type JsonRpcMessage,
  type JsonRpcRequest,
  messageKind,
  readEnvelope,
  type Refusal,
} from "tenon/protocol";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { refusalOf } from "../../server/requests/own-methods.js";
import type { Request } from "../../server/requests/request-scope.js";
import {
  closeServer,
  createFrom,
  type McpServerFactory,
  type CreatedServer,
  refuseRemoved,
  toError,
} from "./created-server.js";
import { unsupportedVersion } from "./http-host.js";
import { InMemoryServerEventBus, ListenHub, type ServerEvent } from "./subscriptions.js";

/** Settings of the host. */
interface StdioHostOptions {
  readonly isModernOnly: boolean;
  readonly maxSubscriptions: number;
  readonly onerror: (error: Error) => void;
}

type Notify = NonNullable<Exchange["notify"]>;

/** Maximum number of messages that wait while the factory runs. */
const MAX_WAITING = 1_000;

/** Serves the client of one connection. */
export class StdioHost implements HostedServer<unknown> {
  readonly #factory: McpServerFactory;
  readonly #options: StdioHostOptions;
  readonly #bus: InMemoryServerEventBus;
  readonly #hub: ListenHub;
  #attached: { readonly connection: Connection; readonly notify: Notify } | undefined;
  /** Server of the connection, after its revision is decided. */
  #pinned: CreatedServer | undefined;
  /** Server that responded to `server/discover`. It is kept if the client then uses the stateless revision. */
  #probe: CreatedServer | undefined;
  /** Messages that wait for the factory, in order. */
  #opening: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #release: (() => void) | undefined;
  #sink: LogSink | undefined;
  #isClosed = false;

  constructor(factory: McpServerFactory, options: StdioHostOptions) {
    const { maxSubscriptions, onerror } = options;
    this.#factory = factory;
    this.#options = options;
    this.#bus = new InMemoryServerEventBus(onerror);
    this.#hub = new ListenHub({ bus: this.#bus, maxSubscriptions, endsEmpty: false, onerror });
  }

  handle(message: JsonRpcMessage, _context: unknown, exchange?: Exchange): MaybePromise<McpResponse> {
    if (exchange === undefined || this.#isClosed) return emptyResponse;
    if (this.#pinned !== undefined && this.#waiting === 0)
      return this.#deliver(message, exchange, this.#pinned);
    if (this.#waiting >= MAX_WAITING) return refuse(message, TOO_MANY);
    this.#waiting++;
    const started = this.#opening
      .then(() => this.#open(message, exchange))
      .catch((error: unknown): Started => {
        this.#options.onerror(toError(error));
        if (this.#isClosed) return NOTHING;
        return { response: refuse(message, { error: "INTERNAL_ERROR", reason: "Internal server error" }) };
      })
      .finally(() => this.#waiting--);
    this.#opening = started;
    return started.then(({ response }) => response);
  }

  attach(connection: Connection, notify: Notify): () => void {
    this.#attached = { connection, notify };
    return () => this.#end();
  }

  useLog(sink: LogSink): void {
    this.#sink ??= sink;
  }

  /** Ends all listening streams, whose clients receive the final responses, and closes the servers. */
  close(): void {
    this.#hub.close();
    this.#end();
  }

  /** Decides the revision from a message, and starts handling the message. */
  async #open(message: JsonRpcMessage, exchange: Exchange): Promise<Started> {
    if (this.#isClosed) return NOTHING;
    if (this.#pinned !== undefined) return { response: this.#deliver(message, exchange, this.#pinned) };
    const kind = messageKind(message);
    if (kind === "response" || kind === "invalid") {
      this.#options.onerror(new Error("Received a response before the client sent a request."));
      return NOTHING;
    }
    const request = message as JsonRpcRequest; // Safe: the kind was checked
    const era = classifyEra(request);
    if (typeof era === "object") return this.#reject(message, era);
    if (era === "legacy") return this.#openLegacy(request, exchange);
    const envelope = readEnvelope(request);
    if ("error" in envelope) return this.#reject(message, envelope);
    const created = this.#probe ?? (await this.#create(era));
    if (created === undefined) return NOTHING;
    this.#probe = created;
    if (request.method === "server/discover" || kind === "notification") {
      // The client may still use an earlier revision, so the connection stays undecided.
      const undecided = { ...exchange, connection: new Connection({ era: "modern" }) };
      return { response: created.server.hosted.handle(message, undefined, undecided) };
    }
    this.#pin(created, "modern");
    return { response: this.#deliver(message, exchange, created) };
  }

  async #openLegacy(message: JsonRpcRequest, exchange: Exchange): Promise<Started> {
    if (this.#options.isModernOnly) {
      if (messageKind(message) === "notification") return NOTHING;
      return { response: this.#refuseLegacy(message as Request) }; // Safe: it is not a notification
    }
    closeServer(this.#probe, this.#options.onerror);
    this.#probe = undefined;
    const created = await this.#create("legacy");
    if (created === undefined) return NOTHING;
    this.#pin(created, "legacy");
    return { response: this.#deliver(message, exchange, created) };
  }

  /** Creates a server. Closes it and returns `undefined` if the connection has closed while the factory ran. */
  async #create(era: Era): Promise<CreatedServer | undefined> {
    const created = await createFrom(this.#factory, { era }, this.#sink);
    if (!this.#isClosed) return created;
    closeServer(created, this.#options.onerror);
    return undefined;
  }

  #deliver(
    message: JsonRpcMessage,
    exchange: Exchange,
    { server }: CreatedServer,
  ): MaybePromise<McpResponse> {
    if (exchange.connection.era === "modern" && messageKind(message) === "request") {
      const request = message as Request; // Safe: the kind was checked
      if (request.method === "initialize" && "error" in readEnvelope(request))
        return this.#refuseLegacy(request);
      const removed = refuseRemoved(request);
      if (removed !== undefined) return removed;
      if (request.method === "subscriptions/listen") {
        const { capabilities, hosted } = server;
        return (
          refusalOf(request, exchange) ??
          this.#hub.listen(request, exchange, { capabilities, info: hosted.info })
        );
      }
    }
    return server.hosted.handle(message, undefined, exchange);
  }

  #refuseLegacy({ id, method, params }: Request): McpResponse {
    this.#options.onerror(
      new Error(`Rejected "${method}": the connection serves only the stateless revision.`),
    );
    return unsupportedVersion(id, method === "initialize" ? params?.["protocolVersion"] : undefined);
  }

  #reject(message: JsonRpcMessage, refusal: Refusal): Started {
    this.#options.onerror(new Error(`Rejected a message: ${refusal.reason}`));
    return { response: refuse(message, refusal) };
  }

  /** Connects a server to the client for the rest of the connection. */
  #pin(created: CreatedServer, era: Era): void {
    this.#pinned = created;
    this.#probe = undefined;
    if (this.#attached === undefined) return;
    const { connection, notify } = this.#attached;
    const { hosted } = created.server;
    connection.era = era;
    const detach = hosted.attach(connection, notify);
    const stop = hosted.onChange((change) => {
      const event: ServerEvent =
        change.kind === "resource"
          ? { kind: "resource_updated", uri: change.uri }
          : { kind: `${change.kind}_list_changed` };
      this.#bus.publish(event);
    });
    this.#release = () => {
      stop();
      detach();
    };
  }

  /** Closes the servers when the connection closes. */
  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#release?.();
    closeServer(this.#probe, this.#options.onerror);
    closeServer(this.#pinned, this.#options.onerror);
  }
}

/** A message whose handling has started. The wrapper keeps later messages from waiting for its response. */
interface Started {
  readonly response: MaybePromise<McpResponse>;
}

const NOTHING: Started = { response: emptyResponse };
const TOO_MANY: Refusal = {
  error: "TOO_MANY_CALLS",
  reason: `Too many messages are waiting for the server to start (limit: ${MAX_WAITING}). Try again later.`,
};

/** Creates the error response to a request. Notifications have none. */
function refuse(message: JsonRpcMessage, { error, reason, details }: Refusal): McpResponse {
  if (messageKind(message) !== "request") return emptyResponse;
  const { id } = message as Request; // Safe: the kind was checked
  return errorResponse(id, { error, message: reason, data: details, era: "modern" });
}
