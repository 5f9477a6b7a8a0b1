/**
 * @fileoverview Creates clients: in memory, over stdio, and over HTTP.
 * @module tenon/client/create-client
 */
import { kindOf } from "@tenon/internal/kind-of";
import { parseOptions } from "@tenon/internal/options/define-options";
import { isUrl } from "@tenon/internal/security/is-url";
import { type ServerLike, type ToolMap, toServer } from "../core/wire/hosted-server.js";
import { type JsonRpcNotification, LATEST_LEGACY } from "../protocol/index.js";
import type { OptionsFor } from "../transport/options-for.js";
import { Client } from "./client.js";
import { assertClientOptions, type ClientOptions, type RemoteClientOptions } from "./client-options.js";
import { Connector } from "./connector.js";
import { capabilitiesOf } from "./handlers.js";
import { CLIENT_LIMITS, NO_LIMITS } from "./limits.js";
import { capabilitiesFor, firstRevision, type HandshakeOptions } from "./messages/handshake.js";
import { RequestChannel } from "./messages/request-channel.js";
import { RecentNotifications } from "./messages/recent-notifications.js";
import { toHttp } from "./transports/http.js";
import { toMemory } from "./transports/memory.js";
import { type ServerProgram, toProgram } from "./transports/stdio.js";
import type { OpenTransport } from "./transports/transport.js";

/** Server outside this process: the URL of an HTTP endpoint, or a program that serves over stdio. */
export type RemoteServer = string | URL | ServerProgram;

/**
 * Connects a client to a server in the same process. For legacy revisions, `initialize` has completed when the promise
 * resolves.
 *
 * @example
 * const client = await createClient(server);
 * const { content } = await client.callTool("forecast", { city: "Riga" });
 */
export async function createClient<Context, Tools extends ToolMap>(
  server: ServerLike<Context, Tools>,
  ...rest: OptionsFor<NoInfer<Context>, ClientOptions<NoInfer<Context>>>
): Promise<Client<Tools>>;
/**
 * Connects a client to an HTTP endpoint, or starts a program and connects to it over stdio. Types come from the server's
 * type, if it is given.
 *
 * @example
 * import type server from "my-server";
 * const client = await createClient<InferServer<typeof server>>("https://example.com/mcp");
 */
export async function createClient<Tools extends ToolMap = ToolMap>(
  server: RemoteServer,
  options?: RemoteClientOptions,
): Promise<Client<Tools>>;
/** Connects a client to a server. */
export async function createClient(
  server: ServerLike<unknown> | RemoteServer,
  options: ClientOptions<unknown> & RemoteClientOptions = {},
): Promise<Client> {
  const isRemote = isRemoteServer(server);
  assertClientOptions(options, isRemote);
  const open = isRemote
    ? openRemote(server, options)
    : toMemory(toServer(server), { context: options.context, auth: options.auth });
  return connect(open, options, isRemote);
}

/** Name and version that the server receives by default. */
const CLIENT_INFO = { name: "tenon", version: "0" };
const DEFAULT_TIMEOUT_MS = 60_000;
/** Longest intervals between two reads of a task, in milliseconds. In memory, reading is cheap. */
const MAX_POLL_MS = 60_000;
const MAX_MEMORY_POLL_MS = 5;

async function connect(
  open: OpenTransport,
  options: ClientOptions<unknown> & RemoteClientOptions,
  isRemote: boolean,
): Promise<Client> {
  const { tasks = isRemote, logLevel, signal, clientInfo = CLIENT_INFO } = options;
  const { timeoutMs = isRemote ? DEFAULT_TIMEOUT_MS : undefined } = options;
  const limits = isRemote ? parseOptions(CLIENT_LIMITS, options.limits ?? {}) : NO_LIMITS;
  const notifications = new RecentNotifications(limits.maxNotificationBytes);
  const onNotification = (notification: JsonRpcNotification) => {
    notifications.add(notification);
    options.onNotification?.(notification);
  };
  const handshake: HandshakeOptions = {
    revision: options.revision ?? (isRemote || tasks ? "latest" : LATEST_LEGACY),
    capabilities: options.capabilities ?? capabilitiesOf(options),
    clientInfo,
    tasks,
    listens: [options.input, options.sample, options.roots, options.onNotification].some(
      (one) => one !== undefined,
    ),
    timeoutMs,
  };
  const revision = firstRevision(handshake);
  const channel = new RequestChannel(
    { handlers: options, clientInfo, logLevel, timeoutMs, limits, signal, onNotification },
    revision,
    capabilitiesFor(revision, handshake),
  );
  const { reconnect = isRemote } = options;
  const connector = new Connector(channel, { ...handshake, open, reconnect });
  await connector.connect();
  const maxPollMs = isRemote ? MAX_POLL_MS : MAX_MEMORY_POLL_MS;
  return new Client({ channel, connector, notifications: notifications.list, signal, maxPollMs });
}

function isRemoteServer(server: unknown): server is RemoteServer {
  if (typeof server === "string" || server instanceof URL) return true;
  return typeof server === "object" && server !== null && "command" in server;
}

/** @throws {TypeError} if the URL or the program is not valid */
function openRemote(server: RemoteServer, options: RemoteClientOptions): OpenTransport {
  const { headers = {}, authorization, reconnect = true, trace } = options;
  if (typeof server === "string" || server instanceof URL) {
    const url = toUrl(server);
    return toHttp({ url, headers, authorization, reconnect, fetch: options.fetch, trace });
  }
  if (typeof server.command !== "string" || server.command === "")
    throw new TypeError(
      `createClient: \`command\` must be the name of a program; got ${kindOf(server.command)}.`,
    );
  const [stray] = ["headers", "authorization", "fetch"].filter((name) => Object.hasOwn(options, name));
  if (stray !== undefined)
    throw new TypeError(
      `createClient: \`${stray}\` requires an HTTP server. A program has no HTTP requests.`,
    );
  return toProgram(server, trace);
}

function toUrl(server: string | URL): URL {
  // The error does not repeat the URL, because it may contain a secret.
  if (!isUrl(String(server))) {
    throw new TypeError(
      "createClient: the server's URL is not valid. Pass a URL such as https://example.com/mcp, a program such as " +
        '{ command: "node", args: ["server.js"] }, or a server from `defineServer`.',
    );
  }
  const url = new URL(server);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new TypeError(
      `createClient: the server's URL must start with http:// or https://; got ${url.protocol}`,
    );
  url.hash = "";
  return url;
}
