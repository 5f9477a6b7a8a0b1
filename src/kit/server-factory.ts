/**
 * @fileoverview Where the servers of a wire come from: a factory or a single instance, of ours or of the official SDK.
 * @module kit/server-factory
 */
import { ServerBuilder } from "../core/builder.js";
import type { Server, ToolMap } from "../core/server.js";
import { type ServerSource, sharedSource } from "../transport/http/server-source.js";
import { openSdkServer } from "./sdk-server.js";
import { isSdkServer, type SdkServer } from "./sdk-shapes.js";

/** A server of ours, built or not, or one of the official SDK. */
export type AnyServer<Context> = Server<Context> | ServerBuilder<Context, ToolMap> | SdkServer;

/** Makes a server. One of the official SDK serves one session, so that it is asked for one each time. */
export type ServerFactory<Context> = () => AnyServer<Context>;

/** What a wire's servers come from: one of the two. */
export interface ServerOrigin<Context> {
  readonly mcpServer?: AnyServer<Context>;
  readonly serverFactory?: ServerFactory<Context>;
}

/** The servers of a wire. @throws where there are none, or what was given is no server */
export function toServerSource<Context>({
  mcpServer,
  serverFactory,
}: ServerOrigin<Context>): ServerSource<Context> {
  if (serverFactory === undefined && mcpServer === undefined) throw new Error("serverFactory is required");
  if (serverFactory !== undefined && typeof serverFactory !== "function") {
    throw new Error("serverFactory must be a function that returns a server");
  }
  // The first one is made at once: what is wrong with it shows before anything listens.
  const first = mcpServer ?? serverFactory?.();
  if (isOurs(first)) return sharedSource<Context>(first instanceof ServerBuilder ? first.build() : first);
  if (!isSdkServer(first))
    throw new Error("serverFactory must return a server of Tenon or of the official SDK");
  let next: SdkServer | undefined = first;
  return {
    shared: undefined,
    async open(sessionId) {
      const server: unknown = next ?? serverFactory?.();
      next = undefined;
      if (!isSdkServer(server)) {
        throw new Error("This server serves one session only; give a serverFactory to serve more");
      }
      return openSdkServer(server, sessionId);
    },
  };
}

function isOurs<Context>(value: unknown): value is Server<Context> | ServerBuilder<Context> {
  return typeof value === "object" && value !== null && ("handle" in value || value instanceof ServerBuilder);
}
