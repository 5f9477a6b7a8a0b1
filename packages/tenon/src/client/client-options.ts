/**
 * @fileoverview Options for clients and for their requests.
 * @module client/client-options
 */
import { showValue } from "@tenon/internal/kind-of";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import type { Auth } from "../core/wire/exchange.js";
import {
  type ClientCapabilities,
  type Implementation,
  type JsonRpcNotification,
  type LogLevel,
  MODERN_REVISIONS,
  type Revision,
  REVISIONS,
  TRAITS,
} from "../protocol/index.js";
import type { RequestHandlers } from "./handlers.js";
import type { ClientAuthorization } from "./transports/authorization.js";
import type { Fetch } from "./transports/http-sender.js";
import type { Trace } from "./transports/trace.js";

/** Options of every client, including the functions that answer the server's requests. */
export interface SharedClientOptions extends RequestHandlers {
  /**
   * Protocol revision to use. `latest` selects the newest revision that the server supports.
   * @default `latest`; in memory, the latest revision that starts with `initialize`, or the stateless one with `tasks`
   */
  readonly revision?: Revision | "latest";
  /**
   * Declares the Tasks extension. Tools with a `task` option then run as tasks, which `callTool` follows to their end.
   * Requires a stateless revision.
   * @default true; in memory, false
   */
  readonly tasks?: boolean;
  /** Overrides the capabilities derived from the handlers. */
  readonly capabilities?: ClientCapabilities;
  /** Name and version that the server receives. */
  readonly clientInfo?: Implementation;
  /** Log level sent with every stateless request. */
  readonly logLevel?: LogLevel;
  /** Called with every notification. */
  readonly onNotification?: (notification: JsonRpcNotification) => void;
  /**
   * Time limit for one request, in milliseconds. Progress notifications restart it, and it does not include the time
   * that the handlers take to answer the server's requests.
   * @default 60,000; in memory, no limit
   */
  readonly timeoutMs?: number;
  /** Cancels requests in flight when it aborts. */
  readonly signal?: AbortSignal;
}

/** Options for a client of a server in the same process. */
export interface ClientOptions<Context> extends SharedClientOptions {
  /** Application context for every request. */
  readonly context?: Context;
  /** Authenticated caller of every request. */
  readonly auth?: Auth;
}

/** Options for a client of a program, or of a server over HTTP. */
export interface RemoteClientOptions extends SharedClientOptions {
  /**
   * Connects again if the connection is lost. A program is started again, an expired session is replaced by a new one,
   * and a request that has not reached the server is repeated.
   * @default true
   */
  readonly reconnect?: boolean;
  /** Headers for every HTTP request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Access tokens for HTTP requests, such as `createClientAuth` from `@tenon/oauth`. */
  readonly authorization?: ClientAuthorization;
  /** Sends HTTP requests. @default the global `fetch` */
  readonly fetch?: Fetch;
  /** Called with every message as it is sent and received, for example to show it. Its errors are ignored. */
  readonly trace?: Trace;
}

/** Options for one request. */
export interface RequestOptions {
  /** Cancels the request when it aborts. */
  readonly signal?: AbortSignal;
  /** Time limit in milliseconds. @default the client's `timeoutMs` */
  readonly timeoutMs?: number;
  /** Called with progress updates. */
  readonly onProgress?: (progress: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
  /** Called with the status messages of a task. @default `onProgress`, which also receives their number */
  readonly onStatus?: (message: string) => void;
}

/** Asserts that every option is known and valid. @throws {TypeError} with a suggestion */
export function assertClientOptions(
  options: ClientOptions<unknown> & RemoteClientOptions,
  isRemote: boolean,
): void {
  const names: Readonly<Record<string, true>> = isRemote ? REMOTE_NAMES : MEMORY_NAMES;
  assertKnownOptions(options, { label: "createClient", names, aliases: isRemote ? REMOTE_ALIASES : ALIASES });
  const { revision, tasks, timeoutMs } = options;
  if (revision !== undefined && revision !== "latest" && !REVISIONS.includes(revision)) {
    const all = [...REVISIONS, "latest"].join(", ");
    throw new TypeError(`createClient: \`revision\` must be one of ${all}; got ${showValue(revision)}.`);
  }
  if (tasks !== undefined && typeof tasks !== "boolean")
    throw new TypeError(`createClient: \`tasks\` must be true or false; got ${showValue(tasks)}.`);
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    throw new TypeError(
      `createClient: \`timeoutMs\` must be a number of milliseconds greater than 0; got ${showValue(timeoutMs)}.`,
    );
  }
  if (tasks !== true || revision === undefined || revision === "latest" || TRAITS[revision].stateless) return;
  throw new TypeError(
    `createClient: \`tasks\` requires revision ${MODERN_REVISIONS.join(" or ")}, because older revisions do not ` +
      `have the Tasks extension; got ${showValue(revision)}.`,
  );
}

const SHARED_NAMES: OptionNames<SharedClientOptions> = {
  revision: true,
  tasks: true,
  capabilities: true,
  clientInfo: true,
  logLevel: true,
  onNotification: true,
  timeoutMs: true,
  signal: true,
  input: true,
  sample: true,
  roots: true,
};

const MEMORY_NAMES: OptionNames<ClientOptions<unknown>> = { ...SHARED_NAMES, context: true, auth: true };

const REMOTE_NAMES: OptionNames<RemoteClientOptions> = {
  ...SHARED_NAMES,
  reconnect: true,
  headers: true,
  authorization: true,
  fetch: true,
  trace: true,
};

/** Names that users try, and the option that they mean. */
const SHARED_ALIASES: Readonly<Record<string, string>> = {
  protocolVersion: "revision",
  version: "revision",
  elicit: "input",
  elicitation: "input",
  onElicitation: "input",
  sampling: "sample",
  task: "tasks",
  timeout: "timeoutMs",
};

const ALIASES = { ...SHARED_ALIASES, authorization: "auth", ctx: "context" };
const REMOTE_ALIASES = { ...SHARED_ALIASES, auth: "authorization", authProvider: "authorization" };
