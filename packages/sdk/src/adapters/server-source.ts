/**
 * @fileoverview Creates the servers behind an endpoint from a factory or a single instance. Accepts Tenon servers and official SDK
 * servers.
 * @module sdk/adapters/server-source
 */
import type { Logger, ServerLike } from "tenon";
import { type ServerSource, toServer } from "tenon/host";
import { McpError } from "tenon/protocol";
import { openSdkServer } from "./sdk-server.js";
import { isSdkServer, type SdkServer } from "./sdk-shapes.js";

/** A Tenon server, a Tenon server builder, or an official SDK server. */
export type AnyServer<Context> = ServerLike<Context> | SdkServer;

/** Creates a server. It is called once for Tenon servers, and for each session for official SDK servers. */
export type ServerFactory<Context> = () => AnyServer<Context>;

/** Server or server factory for an endpoint. Set exactly one. */
export interface ServerOrigin<Context> {
  readonly mcpServer?: AnyServer<Context>;
  readonly serverFactory?: ServerFactory<Context>;
}

/** Server source with a cleanup function. */
export interface ClosableServerSource<Context> extends ServerSource<Context> {
  /** Ends open subscriptions if a factory created the server. */
  end(): void;
}

/** Creates the source of an endpoint's servers. @throws if neither or both are set, or the value is not a server */
export function toServerSource<Context>(
  origin: ServerOrigin<Context>,
  logger?: Logger,
): ClosableServerSource<Context> {
  const { mcpServer, serverFactory } = origin;
  if (serverFactory === undefined && mcpServer === undefined) throw new Error("`serverFactory` is required.");
  if (serverFactory !== undefined && mcpServer !== undefined) {
    throw new Error("Set either `mcpServer` or `serverFactory`, not both.");
  }
  if (serverFactory !== undefined && typeof serverFactory !== "function") {
    throw new Error("`serverFactory` must be a function that returns a server.");
  }
  // The first server is created now, so that a broken factory fails before the endpoint listens.
  const first: unknown = serverFactory === undefined ? mcpServer : serverFactory();
  if (isTenonServer<Context>(first)) {
    const server = toServer(first);
    const end = serverFactory === undefined ? () => {} : () => server.close();
    return { shared: server, open: () => server, end };
  }
  if (!isSdkServer(first)) throw new Error(serverFactory === undefined ? BAD_SERVER : BAD_FACTORY);
  return sdkSource(first, serverFactory, logger);
}

const BAD_SERVER = "`mcpServer` must be a Tenon server or an official SDK server.";
const BAD_FACTORY = "`serverFactory` must return a Tenon server or an official SDK server.";

/** Creates a source with one server per session. The first session uses `first`. */
function sdkSource<Context>(
  first: SdkServer,
  serverFactory: ServerFactory<Context> | undefined,
  logger: Logger | undefined,
): ClosableServerSource<Context> {
  const taken = new WeakSet<SdkServer>();
  const next = (): unknown => {
    if (!taken.has(first)) return first;
    if (serverFactory !== undefined) return serverFactory();
    throw new McpError("CONFLICT", "This server serves one session only. Set `serverFactory` to serve more.");
  };
  const open = (sessionId: string) => {
    const server = next();
    if (!isSdkServer(server)) throw new McpError("CONFLICT", BAD_FACTORY);
    // A server on two transports would send messages to the wrong client.
    if (taken.has(server))
      throw new McpError("CONFLICT", "`serverFactory` must return a new server each time.");
    taken.add(server);
    return openSdkServer(server, sessionId);
  };
  return {
    shared: undefined,
    async open(sessionId) {
      try {
        return await open(sessionId);
      } catch (error) {
        // Errors of the application's code are for the operator. Clients see only an `McpError`.
        logger?.error(`Could not create a server for a new session: ${String(error)}`);
        throw error;
      }
    },
    end() {},
  };
}

function isTenonServer<Context>(value: unknown): value is ServerLike<Context> {
  return typeof value === "object" && value !== null && ("handle" in value || "build" in value);
}
