/**
 * @fileoverview Options for clients and for their requests.
 * @module tenon/client/client-options
 */
import { showValue } from "@tenon/internal/kind-of";
import { assertOptions, defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom, flag, object, oneOf } from "@tenon/internal/options/option-rows";
import type { Auth } from "../core/wire/exchange.js";
import {
  type ClientCapabilities,
  type Implementation,
  type JsonRpcNotification,
  LOG_LEVELS,
  MODERN_REVISIONS,
  REVISIONS,
  TRAITS,
} from "../protocol/index.js";
import { HANDLERS } from "./handlers.js";
import { CLIENT_LIMITS } from "./limits.js";
import type { ClientAuthorization } from "./transports/authorization.js";
import type { Fetch } from "./transports/http-sender.js";
import type { Trace } from "./transports/trace.js";

const SHARED_OPTIONS = /* @__PURE__ */ defineOptions("createClient", {
  /**
   * Protocol revision to use. `latest` selects the newest revision that the server supports.
   * @default `latest`; in memory, the latest revision that starts with `initialize`, or the stateless one with `tasks`
   */
  revision: oneOf([...REVISIONS, "latest"], { aliases: ["protocolVersion", "version"] }),
  /**
   * Declares the Tasks extension. Tools with a `task` option then run as tasks, which `callTool` follows to their end.
   * Requires a stateless revision.
   * @default true; in memory, false
   */
  tasks: flag({ aliases: ["task"] }),
  /** Overrides the capabilities derived from the handlers. */
  capabilities: custom<ClientCapabilities>(),
  /** Name and version that the server receives. */
  clientInfo: custom<Implementation>(),
  /** Log level sent with every stateless request. */
  logLevel: oneOf(LOG_LEVELS),
  /** Called with every notification. */
  onNotification: callback<(notification: JsonRpcNotification) => void>(),
  /**
   * Time limit for one request, in milliseconds. If the request has `onProgress`, progress restarts it, up to
   * `limits.maxTotalMs`. It does not include the time that the handlers take to answer the server's requests.
   * @default 60,000; in memory, no limit
   */
  timeoutMs: custom<number>({
    expected: "a number of milliseconds greater than 0",
    accepts: (value) => typeof value === "number" && value > 0,
    aliases: ["timeout"],
  }),
  /** Cancels requests in flight when it aborts. */
  signal: custom<AbortSignal>(),
  ...HANDLERS.rows,
});

const MEMORY_OPTIONS = /* @__PURE__ */ defineOptions("createClient", {
  ...SHARED_OPTIONS.rows,
  /** Application context for every request. */
  context: custom<unknown>({ aliases: ["ctx"] }),
  /** Authenticated caller of every request. */
  auth: custom<Auth>({ aliases: ["authorization"] }),
});

const REMOTE_OPTIONS = /* @__PURE__ */ defineOptions("createClient", {
  ...SHARED_OPTIONS.rows,
  /**
   * Connects again if the connection is lost. A program is started again, an expired session is replaced by a new one,
   * and a request that has not reached the server is repeated.
   * @default true
   */
  reconnect: flag(),
  /** Headers for every HTTP request. */
  headers: custom<Readonly<Record<string, string>>>(),
  /** Access tokens for HTTP requests, such as `createClientAuth` from `@tenon/oauth`. */
  authorization: custom<ClientAuthorization>({ aliases: ["auth", "authProvider"] }),
  /** Sends HTTP requests. @default the global `fetch` */
  fetch: callback<Fetch>(),
  /** Limits that protect the client from the server. */
  limits: object(CLIENT_LIMITS),
  /** Called with every message as it is sent and received, for example to show it. Its errors are ignored. */
  trace: callback<Trace>(),
});

/** Options of every client, including the functions that answer the server's requests. */
export interface SharedClientOptions extends OptionsOf<typeof SHARED_OPTIONS> {}

/** Options for a client of a server in the same process. */
export interface ClientOptions<Context> extends OptionsOf<typeof MEMORY_OPTIONS> {
  /** Application context for every request. */
  readonly context?: Context;
}

/** Options for a client of a program, or of a server over HTTP. */
export interface RemoteClientOptions extends OptionsOf<typeof REMOTE_OPTIONS> {}

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
  assertOptions(isRemote ? REMOTE_OPTIONS : MEMORY_OPTIONS, options);
  const { revision, tasks } = options;
  if (tasks !== true || revision === undefined || revision === "latest" || TRAITS[revision].stateless) return;
  throw new TypeError(
    `createClient: \`tasks\` requires revision ${MODERN_REVISIONS.join(" or ")}, because older revisions do not ` +
      `have the Tasks extension; got ${showValue(revision)}.`,
  );
}
