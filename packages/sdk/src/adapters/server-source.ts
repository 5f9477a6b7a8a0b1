/**
 * @fileoverview Where the servers of a wire come from: a factory or a single instance, of ours or of the official SDK.
 * @module kit/server-factory
 */
import { type ServerLike } from "tenon";
import { toServer } from "tenon/host";
import { McpError } from "tenon/protocol";
import { type ServerSource, sharedSource } from "tenon/host";
import type { Logger } from "tenon";
import { openSdkServer } from "./sdk-server.js";
import { isSdkServer, type SdkServer } from "./sdk-shapes.js";

/** A server of ours, built or not, or one of the official SDK. */
export type AnyServer<Context> = ServerLike<Context> | SdkServer;

/** Makes a server. One of the official SDK serves one session, so that it is asked for one each time. */
export type ServerFactory<Context> = () => AnyServer<Context>;

/** What a wire's servers come from: one of the two. */
export interface ServerOrigin<Context> {
  readonly mcpServer?: AnyServer<Context>;
  readonly serverFactory?: ServerFactory<Context>;
}

/** The servers of a wire, and their end. */
export interface KitSource<Context> extends ServerSource<Context> {
  /** Ends subscriptions in good order, where the server was made here. */
  end(): void;
}

/** The servers of a wire. @throws where there are none, or what was given is no server */
export function toServerSource<Context>(origin: ServerOrigin<Context>, logger?: Logger): KitSource<Context> {
  const { mcpServer, serverFactory } = origin;
  if (serverFactory === undefined && mcpServer === undefined) throw new Error("serverFactory is required");
  if (serverFactory !== undefined && mcpServer !== undefined) {
    throw new Error("Give mcpServer or serverFactory, not both");
  }
  if (serverFactory !== undefined && typeof serverFactory !== "function") {
    throw new Error("serverFactory must be a function that returns a server");
  }
  // The first one is made at once: what is wrong with it shows before anything listens.
  const first: unknown = serverFactory === undefined ? mcpServer : serverFactory();
  if (isOurs<Context>(first)) {
    const server = toServer(first);
    const end = serverFactory === undefined ? () => {} : () => server.close();
    return { ...sharedSource(server), end };
  }
  if (!isSdkServer(first)) throw new Error(serverFactory === undefined ? BAD_SERVER : BAD_FACTORY);
  return sdkSource(first, serverFactory, logger);
}

const BAD_SERVER = "mcpServer must be a server of Tenon or of the official SDK";
const BAD_FACTORY = "serverFactory must return a server of Tenon or of the official SDK";

/** A server for each session: the first is there already. */
function sdkSource<Context>(
  first: SdkServer,
  serverFactory: ServerFactory<Context> | undefined,
  logger: Logger | undefined,
): KitSource<Context> {
  const taken = new WeakSet<SdkServer>();
  const next = (): unknown => {
    if (!taken.has(first)) return first;
    if (serverFactory !== undefined) return serverFactory();
    throw new McpError("CONFLICT", "This server serves one session only; give a serverFactory to serve more");
  };
  const open = (sessionId: string) => {
    const server = next();
    if (!isSdkServer(server)) throw new McpError("CONFLICT", BAD_FACTORY);
    // A server on two wires would send one client what is meant for another.
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
        // What an application's own code throws is for the operator: clients are told of an `McpError` only.
        logger?.error(`No server for one more session: ${String(error)}`);
        throw error;
      }
    },
    end() {},
  };
}

function isOurs<Context>(value: unknown): value is ServerLike<Context> {
  return typeof value === "object" && value !== null && ("handle" in value || "build" in value);
}
