/**
 * @fileoverview Serves a loaded module in a server process: keeps a copy of every client's connection, and handles the
 * messages that the command passes on.
 * @module cli/dev/server/server-host
 */
import process from "node:process";
import type { McpResponse } from "tenon";
import { Connection, errorResponse, type HostedServer } from "tenon/host";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { preciseNow } from "../../clock.js";
import type { ConnectionFacts, ServerCall, ServerReply, ToServer } from "../messages/messages.js";
import { CallWatch, toServerReply } from "./call-watch.js";
import type { LoadedModule } from "./load-module.js";
import { createConnection, MirrorConnection } from "./mirror-connection.js";
import { type CommandChannel, createServerExchange, sendToClient } from "./server-exchange.js";

/** Settings of a server process. */
export interface HostSettings {
  /** Key for the state of calls, which every process of the command has. */
  readonly secret: string;
  /** True to measure handlers. */
  readonly measures: boolean;
}

/** Server of one process. */
export class ServerHost {
  readonly #module: LoadedModule;
  readonly #channel: CommandChannel;
  readonly #watch: CallWatch;
  readonly #mirrors = new Map<number, MirrorConnection>();
  readonly #calls = new Map<number, AbortController>();

  constructor(module: LoadedModule, channel: CommandChannel, { secret, measures }: HostSettings) {
    this.#module = module;
    this.#channel = channel;
    this.#watch = new CallWatch((failure) => void channel.send({ kind: "failure", failure }));
    const { shared } = this;
    shared?.useLog?.(this.#watch.sink);
    if (measures) shared?.observeHandlers?.(this.#watch.observer);
    shared?.useCluster?.({
      secrets: () => Promise.resolve([secret]),
      publish: () => Promise.resolve(),
      subscribe: () => undefined,
      store: {},
    });
  }

  /** Server that all connections share, if there is one. */
  get shared(): HostedServer<unknown> | undefined {
    const { server } = this.#module;
    return server.type === "shared" ? server.server : undefined;
  }

  /** Handles a message from the command. Ignores messages for connections and calls that do not exist. */
  take(message: ToServer): void {
    switch (message.kind) {
      case "start":
        this.shared?.start?.();
        break;
      case "open":
        this.#open(message.connection, message.facts);
        break;
      case "tell":
        this.#tell(message);
        break;
      case "call":
        this.#call(message.call);
        break;
      case "gone":
        this.#calls.get(message.call)?.abort(new Error("The client disconnected."));
        break;
      case "close":
        this.#mirrors.get(message.connection)?.close();
        this.#mirrors.delete(message.connection);
        break;
      case "ask":
        void this.#tellFacts(message);
        break;
      case "end-streams":
        this.shared?.close();
        break;
      default:
        break;
    }
  }

  /** Closes all connections and the server. Resolves when its tasks have ended. */
  async stop(): Promise<void> {
    for (const mirror of this.#mirrors.values()) mirror.close();
    this.#mirrors.clear();
    this.shared?.close();
    await this.shared?.idle?.();
  }

  #open(id: number, facts: ConnectionFacts): void {
    const mirror = new MirrorConnection({
      id,
      facts,
      module: this.#module,
      onOpened: (server) => {
        if (server !== this.shared) server.useLog?.(this.#watch.sink);
      },
      notify: (message) => sendToClient(this.#channel, { kind: "send", connection: id, message }),
    });
    this.#mirrors.set(id, mirror);
  }

  #tell({ connection: id, message }: Extract<ToServer, { kind: "tell" }>): void {
    const mirror = this.#mirrors.get(id);
    if (mirror === undefined) return;
    const { connection } = mirror;
    const notify = (sent: typeof message) =>
      sendToClient(this.#channel, { kind: "send", connection: id, message: sent });
    void mirror.handle(message, { connection, notify });
  }

  #call(call: ServerCall): void {
    const received = preciseNow();
    const { connection: target, message } = call;
    const mirror = typeof target === "number" ? this.#mirrors.get(target) : undefined;
    const connection =
      mirror?.connection ?? (typeof target === "number" ? new Connection() : createConnection(target));
    const gone = new AbortController();
    this.#calls.set(call.id, gone);
    const exchange = createServerExchange({
      call,
      connection,
      channel: this.#channel,
      gone: gone.signal,
    });
    const handle = (): MaybePromise<McpResponse> => {
      if (mirror !== undefined) return mirror.handle(message, exchange);
      const { shared } = this;
      if (shared !== undefined) return shared.handle(message, this.#module.context, exchange);
      return errorResponse(null, { error: "INVALID_REQUEST", message: SESSIONS_ONLY, era: "modern" });
    };
    void this.#watch.watch(handle).then((watched) => {
      this.#calls.delete(call.id);
      const negotiated = mirror?.takeNegotiated();
      const reply = toServerReply(watched, message);
      const { handlerStart, handlerEnd } = watched;
      const times = { received, handlerStart, handlerEnd, replied: preciseNow() };
      return this.#reply(call.id, { ...reply, negotiated, times });
    });
  }

  async #tellFacts({ request, about }: Extract<ToServer, { kind: "ask" }>): Promise<void> {
    if (about === "usage") {
      await this.#channel.send({ kind: "usage", request, bytes: process.memoryUsage.rss() });
      return;
    }
    const { readViews } = await import("./read-views.js");
    const none = { definitions: [], views: [] };
    const views = await readViews(this.#module).catch(() => none);
    if (await this.#channel.send({ kind: "views", request, views })) return;
    await this.#channel.send({ kind: "views", request, views: none });
  }

  async #reply(call: number, reply: ServerReply): Promise<void> {
    if (await this.#channel.send({ kind: "reply", call, reply })) return;
    const message = "The response is too large for `tenon dev`.";
    const substitute = { type: "error", error: "INTERNAL_ERROR", code: -32603, message } as const;
    await this.#channel.send({ kind: "reply", call, reply: substitute });
  }
}

const SESSIONS_ONLY = "This server does not support stateless requests. Send `initialize` to open a session.";
