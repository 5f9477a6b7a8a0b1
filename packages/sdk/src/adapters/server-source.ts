/**
 * @fileoverview Provides an endpoint's servers, from a factory or a single instance. Accepts Tenon servers and official
 * SDK servers.
 * @module sdk/adapters/server-source
 */
import type { Logger, LogSink, ServerLike } from "tenon";
import { type ServerSource, toServer } from "tenon/host";
import { McpError } from "tenon/protocol";
import { kindOf } from "@tenon/internal/kind-of";
import { assertOptions, defineOptions } from "@tenon/internal/options/define-options";
import { custom } from "@tenon/internal/options/option-rows";
import { safeReport } from "@tenon/internal/security/safe-text";
import { printable } from "@tenon/internal/text";
import { openSdkServer } from "./sdk-server.js";
import { isSdkServer, type SdkServer } from "./sdk-shapes.js";

/** A Tenon server, a Tenon server builder, or an official SDK server. */
export type AnyServer<Context = unknown> = ServerLike<Context> | SdkServer;

/** Creates a server. Called once if it returns a Tenon server, or once per session if it returns an SDK server. */
export type ServerFactory<Context = unknown> = () => AnyServer<Context>;

/** An endpoint's server or server factory. Set exactly one of them. */
export interface ServerOrigin<Context = unknown> {
  readonly mcpServer?: AnyServer<Context> | undefined;
  readonly serverFactory?: ServerFactory<Context> | undefined;
}

/** Server source that can be closed. */
export interface ClosableServerSource<Context = unknown> extends ServerSource<Context> {
  /** Ends open subscriptions if a factory created the server. A server passed by the caller stays open. */
  end(): void;
}

/**
 * Creates an endpoint's server source.
 *
 * @param logger receives failures of servers built without the `log` option
 * @throws if not exactly one option is set, or the value is not a server
 */
export function toServerSource<Context>(
  origin: ServerOrigin<Context>,
  logger?: Logger,
): ClosableServerSource<Context> {
  assertOptions(ORIGIN, origin);
  const { mcpServer, serverFactory } = origin;
  if (serverFactory === undefined && mcpServer === undefined) {
    throw new Error("Set `mcpServer` or `serverFactory`.");
  }
  if (serverFactory !== undefined && mcpServer !== undefined) {
    throw new Error("Set either `mcpServer` or `serverFactory`, not both.");
  }
  // The first server is created now, so that a broken factory fails before the endpoint listens.
  const first: unknown = serverFactory === undefined ? mcpServer : serverFactory();
  if (isTenonServer<Context>(first)) {
    const server = toServer(first);
    if (logger !== undefined) server.useLog?.(toLogSink(logger));
    const end = serverFactory === undefined ? () => {} : () => server.close();
    return { shared: server, open: () => server, end };
  }
  if (!isSdkServer(first)) throw new Error(describeWrongServer(first, serverFactory));
  return sdkSource(first, serverFactory, logger);
}

const ORIGIN = /* @__PURE__ */ defineOptions("toServerSource", {
  /** Server that all requests share. */
  mcpServer: custom<AnyServer>({ aliases: ["server"] }),
  /** Creates the server. */
  serverFactory: custom<ServerFactory>({
    expected: "a function that returns a server",
    accepts: (value) => typeof value === "function",
    aliases: ["factory"],
  }),
});

function describeWrongServer(value: unknown, serverFactory: unknown): string {
  const subject = serverFactory === undefined ? "`mcpServer` must be" : "`serverFactory` must return";
  return `${subject} a Tenon server or an official SDK server; got ${kindOf(value)}.`;
}

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
    throw new McpError(
      "CONFLICT",
      "This server supports only one session. Set `serverFactory` to serve more than one.",
    );
  };
  const open = (sessionId: string) => {
    const server = next();
    if (!isSdkServer(server)) throw new McpError("CONFLICT", describeWrongServer(server, serverFactory));
    // A server connected to two transports would send messages to the wrong client.
    if (taken.has(server)) throw new McpError("CONFLICT", REUSED);
    taken.add(server);
    return openSdkServer(server, sessionId);
  };
  const sink = logger === undefined ? undefined : toLogSink(logger);
  return {
    shared: undefined,
    async open(sessionId) {
      try {
        const session = await open(sessionId);
        if (sink !== undefined) session.useLog(sink);
        return session;
      } catch (error) {
        // Errors in application code are for the operator. Clients see only the message of an `McpError`.
        logger?.error(`Could not create a server for a new session: ${String(error)}`);
        throw error;
      }
    },
    end() {},
  };
}

const REUSED = "`serverFactory` returned a server that is already in use. Return a new server on each call.";

function isTenonServer<Context>(value: unknown): value is ServerLike<Context> {
  return typeof value === "object" && value !== null && ("handle" in value || "build" in value);
}

/**
 * Creates a log sink that writes failures, with stack and causes, and rejected arguments to a logger. Each entry is one
 * line without secrets.
 */
export function toLogSink(logger: Logger): LogSink {
  return (entry) => {
    if (entry.event === "initialize") return;
    const { operation, name } = entry;
    const subject = `${SUBJECTS[operation] ?? printable(operation)} "${printable(name)}"`;
    if (entry.event === "arguments-rejected") {
      logger.info(`${subject} was called with invalid arguments: ${entry.message}`);
    } else if (entry.level === "warning") {
      logger.warn(entry.message);
    } else {
      logger.error(`${subject} failed: ${safeReport(entry.error)}`);
    }
  };
}

const SUBJECTS: Readonly<Record<string, string>> = {
  "tools/call": "Tool",
  "resources/read": "Resource",
  "prompts/get": "Prompt",
};
