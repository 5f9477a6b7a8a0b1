/**
 * @fileoverview The servers behind an endpoint, from a factory or a single instance, of Tenon or of the official SDK.
 * @module sdk/adapters/server-source
 */
import type { Logger, ServerLike } from "tenon";
import { type ServerSource, toServer } from "tenon/host";
import { McpError } from "tenon/protocol";
import { openSdkServer } from "./sdk-server.js";
import { isSdkServer, type SdkServer } from "./sdk-shapes.js";

/** A server of Tenon, built or not, or one of the official SDK. */
export type AnyServer<Context> = ServerLike<Context> | SdkServer;

/** Creates a server. It is called once for a server of Tenon, and for each session with those of the official SDK. */
export type ServerFactory<Context> = () => AnyServer<Context>;

/** The origin of an endpoint's servers: give one of the two. */
export interface ServerOrigin<Context> {
  readonly mcpServer?: AnyServer<Context>;
  readonly serverFactory?: ServerFactory<Context>;
}

/** A source of servers that can be closed. */
export interface ClosableServerSource<Context> extends ServerSource<Context> {
  /** Ends open subscriptions if the server was created by a factory. */
  end(): void;
}

/** Creates the source of an endpoint's servers. @throws if the origin is empty, or is not a server */
export function toServerSource<Context>(
  origin: ServerOrigin<Context>,
  logger?: Logger,
): ClosableServerSource<Context> {
  const { mcpServer, serverFactory } = origin;
  if (serverFactory === undefined && mcpServer === undefined) throw new Error("serverFactory is required");
  if (serverFactory !== undefined && mcpServer !== undefined) {
    throw new Error("Give mcpServer or serverFactory, not both");
  }
  if (serverFactory !== undefined && typeof serverFactory !== "function") {
    throw new Error("serverFactory must be a function that returns a server");
  }
  // The first server is created now, so that a broken factory fails before anything listens.
  const first: unknown = serverFactory === undefined ? mcpServer : serverFactory();
  if (isTenonServer<Context>(first)) {
    const server = toServer(first);
    const end = serverFactory === undefined ? () => {} : () => server.close();
    return { shared: server, open: () => server, end };
  }
  if (!isSdkServer(first)) throw new Error(serverFactory === undefined ? BAD_SERVER : BAD_FACTORY);
  return sdkSource(first, serverFactory, logger);
}

const BAD_SERVER = "mcpServer must be a server of Tenon or of the official SDK";
const BAD_FACTORY = "serverFactory must return a server of Tenon or of the official SDK";

/** Creates a source with one server per session. The first server exists already. */
function sdkSource<Context>(
  first: SdkServer,
  serverFactory: ServerFactory<Context> | undefined,
  logger: Logger | undefined,
): ClosableServerSource<Context> {
  const taken = new WeakSet<SdkServer>();
  const next = (): unknown => {
    if (!taken.has(first)) return first;
    if (serverFactory !== undefined) return serverFactory();
    throw new McpError("CONFLICT", "This server serves one session only; give a serverFactory to serve more");
  };
  const open = (sessionId: string) => {
    const server = next();
    if (!isSdkServer(server)) throw new McpError("CONFLICT", BAD_FACTORY);
    // A server on two transports would send one client what is meant for another.
    if (taken.has(server)) throw new McpError("CONFLICT", "serverFactory must make a new server each time");
    taken.add(server);
    return openSdkServer(server, sessionId);
  };
  return {
    shared: undefined,
    async open(sessionId) {
      try {
        return await open(sessionId);
      } catch (error) {
        // Errors of the application's code are for the operator: clients are told of an `McpError` only.
        logger?.error(`No server for one more session: ${String(error)}`);
        throw error;
      }
    },
    end() {},
  };
}

function isTenonServer<Context>(value: unknown): value is ServerLike<Context> {
  return typeof value === "object" && value !== null && ("handle" in value || "build" in value);
}
