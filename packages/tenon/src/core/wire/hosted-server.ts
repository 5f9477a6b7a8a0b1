/**
 * @fileoverview Interface that transports use to host a server.
 * @module tenon/core/wire/hosted-server
 */
import { isJsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { JsonRpcMessage } from "../../protocol/index.js";
import type { ClusterLink, RecordSealer } from "./cluster-link.js";
import type { NotifyChange } from "./changes.js";
import type { Connection, ListDigests } from "./connection.js";
import type { Exchange } from "./exchange.js";
import type { LogEntry, LogSink } from "./log.js";
import type { McpResponse } from "./response.js";

/** Input and output types by tool name, for typed clients. */
export type ToolMap = Record<string, { readonly input: unknown; readonly output: unknown }>;

/** Methods that a transport calls on a server. */
export interface HostedServer<Context, Tools extends ToolMap = ToolMap> {
  /** Tool types for `createClient`. This member exists only at the type level. */
  readonly types?: Tools;
  /** Handles one message. Never throws or rejects. */
  handle(message: JsonRpcMessage, context: Context, exchange?: Exchange): MaybePromise<McpResponse>;
  /** Sends change notifications to a connection until the returned function is called. */
  attach(connection: Connection, notify: NotifyChange): () => void;
  /** Sets the log sink of a server that was built without `log`. Transports pass a sink that writes to stderr. */
  useLog?(sink: LogSink): void;
  /** Encrypts records for a store. Absent if the server has no encryption keys of its own. */
  readonly records?: RecordSealer;
  /** Logs a failure that no client receives, such as one of a store. */
  report?(error: unknown, operation: string): void;
  /** Links the server to the other nodes. Transports with a `store` call it before `start`. */
  useCluster?(link: ClusterLink): void;
  /** Starts work that does not wait for a request, such as unfinished tasks. Transports call it when they start. */
  start?(): void;
  /**
   * Ends open subscriptions, and stops running tasks after a grace period. A server that belongs to a single session
   * ends that session.
   */
  close(): void;
  /** Resolves when work that a closed server still does, such as running tasks, has ended. */
  idle?(): Promise<void>;
  /** Name and version that clients receive. */
  readonly info?: { readonly name: string; readonly version: string };
  /** Functions for transports that run the server on several nodes. */
  readonly operations?: ServerOperations;
  /** Describes the current definitions. Transports read it once, when they start. */
  describe?(): HostedDescription;
  /** Observes the handlers from now on. Only hosts for development use it, because it slows down every call. */
  observeHandlers?(observer: HandlerObserver): void;
}

/**
 * Called when a handler of a tool, resource, or prompt starts. Returns a function that is called when the handler has
 * ended. Both are called in the asynchronous context of the request, and must not throw.
 */
export type HandlerObserver = () => () => void;

/** Functions for transports that run a server on several nodes. */
export interface ServerOperations {
  /** Number of log entries by event, since the server was built. */
  readonly logCounts: ReadonlyMap<LogEntry["event"], number>;
  /** Returns fingerprints of the lists. Nodes with a different version of the server have different ones. */
  digestLists(): ListDigests;
  /** Logs what a transport has noticed about the other nodes and the store. */
  warn(event: "node-lost" | "store-restored", message: string): void;
  /** Notes a failure of the store. Returns true if it is the first one of an outage, and must be logged. */
  beginsOutage(): boolean;
}

/** The part of a server's description that transports read. */
export interface HostedDescription {
  readonly tools: readonly {
    readonly definition: { readonly name: string };
    readonly scopes: readonly string[];
    /** Actions of a grouped tool, which may require scopes of their own. */
    readonly outline?: { readonly actions: readonly { readonly scopes?: readonly string[] }[] };
  }[];
}

/** Server, or an object that builds one, such as a `ServerBuilder` or the `McpServer` from `@tenon/sdk`. */
export type ServerLike<Context, Tools extends ToolMap = ToolMap> =
  HostedServer<Context, Tools> | { build(): HostedServer<Context, Tools> };

/** Returns the server, building it first if necessary. @throws {TypeError} if the value is not a server */
export function toServer<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
): HostedServer<Context, Tools> {
  if (!isServerLike(server)) {
    throw new TypeError(`Expected a server or a builder from \`defineServer\`; got ${describeWrong(server)}`);
  }
  return "build" in server ? server.build() : server;
}

function isServerLike(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return "build" in value || "handle" in value;
}

/** Describes a value that is not a server. If it is a module, such as from `import * as`, suggests its export. */
function describeWrong(value: unknown): string {
  if (Object.prototype.toString.call(value) !== "[object Module]") return `${kindOf(value)}.`;
  const name = isJsonObject(value) ? Object.keys(value).find((key) => isServerLike(value[key])) : undefined;
  const fix = name === undefined ? "Pass the server that it exports." : `Pass its export \`${name}\`.`;
  return `a module. ${fix}`;
}
