/**
 * @fileoverview The page's work on a server: connections, definitions, calls, questions, tasks, and replays.
 * @module cli/page/workbench/workbench
 */
import { isJsonObject } from "@tenon/internal/json";
import type { Era, Implementation, JsonRpcNotification } from "tenon/protocol";
import { LogFeed, toLogLine } from "../feed/log-feed.js";
import type { PageFeed } from "../feed/page-feed.js";
import type { CallDetail, ConnectionState } from "../protocol.js";
import type { CallRecord } from "../record/call-record.js";
import type { CallStore } from "../record/call-store.js";
import { PageCalls } from "./calls/page-calls.js";
import { Replays } from "./calls/replays.js";
import { Tasks } from "./calls/tasks.js";
import { Catalog, isListChange, updatedUri } from "./catalog/catalog.js";
import { CallContext } from "./connections/call-context.js";
import { Connections } from "./connections/connections.js";
import { Subscriptions } from "./connections/subscriptions.js";
import type { InspectedServer } from "./inspected-server.js";
import { Questions } from "./questions.js";

/** Settings for `Workbench`. */
export interface WorkbenchSettings {
  readonly server: InspectedServer;
  readonly feed: PageFeed;
  readonly store: CallStore;
  /** @default a new log */
  readonly log?: LogFeed | undefined;
  /** Name and version that the server receives. */
  readonly clientInfo: Implementation;
  readonly countsTokens: boolean;
  /** Called with each state of the connections. */
  readonly onConnection?: ((state: ConnectionState) => void) | undefined;
}

/** Work of one page on one server. */
export class Workbench {
  readonly server: InspectedServer;
  readonly store: CallStore;
  readonly connections: Connections;
  readonly catalog: Catalog;
  readonly calls: PageCalls;
  readonly questions: Questions;
  readonly tasks: Tasks;
  readonly replays: Replays;
  readonly subscriptions: Subscriptions;
  readonly #feed: PageFeed;
  readonly #log: LogFeed;

  constructor({ server, feed, store, log, clientInfo, countsTokens, onConnection }: WorkbenchSettings) {
    this.server = server;
    this.store = store;
    this.#feed = feed;
    this.#log = log ?? new LogFeed(feed);
    const context = new CallContext();
    this.tasks = new Tasks({ feed, connections: () => this.connections, questions: () => this.questions });
    this.questions = new Questions(feed, (record) => this.tasks.update(record));
    this.catalog = new Catalog({
      context,
      onState: (state) => feed.publish({ type: "server", server: state }),
      onFailure: (client, error) => this.connections.reportFailure(client, error),
      readViews: server.readViews,
      countsTokens,
    });
    this.subscriptions = new Subscriptions({
      context,
      onLost: (client, error) => this.connections.reportFailure(client, error),
      onChange: (uris) => feed.publish({ type: "subscriptions", uris }),
    });
    this.connections = new Connections({
      server,
      clientInfo,
      context,
      questions: this.questions,
      onResult: (record, method, result) => this.tasks.take(record, method, result),
      onState: (connection) => {
        feed.publish({ type: "connection", connection });
        onConnection?.(connection);
      },
      onNotification: (era, notification) => this.#onNotification(era, notification),
      onConnected: (client) => {
        this.catalog.use(client);
        this.subscriptions.use(client);
      },
    });
    const { connections, questions } = this;
    const onEnding = (record: CallRecord) => this.tasks.onCallEnding(record);
    this.calls = new PageCalls({ store, context, connections, questions, onEnding });
    this.replays = new Replays(feed, this.calls);
  }

  /** Connects to the server. */
  start(): void {
    this.connections.start();
  }

  /** Returns a recorded call with its messages. */
  async readCall(id: string): Promise<CallDetail | undefined> {
    const record = this.store.get(id);
    if (record === undefined) return undefined;
    // The checks load a validator, which `tenon dev` does not need to start.
    const { describeCall } = await import("./calls/describe-call.js");
    const findTool = (name: string) => this.catalog.findTool(name);
    return describeCall(record, { target: this.server.snippets(), findTool });
  }

  /** Returns the call of the page that has sent a request, by the key of its client. */
  findSent(key: string, id: unknown): CallRecord | undefined {
    return this.connections.findTrack(key)?.findSent(id);
  }

  /** Cancels all calls and closes the connections. */
  async close(): Promise<void> {
    this.calls.close();
    this.questions.close();
    this.catalog.close();
    this.subscriptions.close();
    await this.connections.close();
  }

  #onNotification(era: Era, notification: JsonRpcNotification): void {
    const line = toLogLine(notification);
    if (line !== undefined) this.#log.add(line);
    if (isListChange(notification)) this.catalog.onChanged();
    const uri = updatedUri(notification);
    if (uri !== undefined) this.#feed.publish({ type: "resource-updated", uri, at: Date.now() });
    const { method, params } = notification;
    if (method === "notifications/cancelled" && isJsonObject(params))
      this.questions.cancelRequest(era, params["requestId"]);
  }
}
