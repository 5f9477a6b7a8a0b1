/**
 * @fileoverview `serveStdio`: serves one client over stdio, in every protocol revision.
 * @module sdk/v2/serving/serve-stdio
 */
import { serveStdio as serveStreams } from "tenon/stdio";
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { callback, custom, number, oneOf } from "@tenon/internal/options/option-rows";
import { connect } from "../../adapters/connect.js";
import type { SdkTransport } from "../../adapters/sdk-shapes.js";
import { toReporter } from "./create-mcp-handler.js";
import { DEFAULT_MAX_SUBSCRIPTIONS } from "./listen-hub.js";
import { type McpServerFactory, toError } from "./product.js";
import { StdioHost } from "./stdio-host.js";
import { STDIO_LIMITS } from "./stdio-transport.js";

const STDIO_OPTIONS = /* @__PURE__ */ defineOptions("serveStdio", {
  /**
   * Clients that use a legacy revision: `serve` serves them, `reject` rejects their requests.
   * @default "serve"
   */
  legacy: oneOf(["serve", "reject"], { default: "serve" }),
  /**
   * An official transport to use instead of the process's streams.
   * @default standard input and output
   */
  transport: custom<SdkTransport>(),
  /** Called with errors that no caller receives. */
  onerror: callback<(error: Error) => void>(),
  /**
   * Maximum number of open `subscriptions/listen` streams.
   * @default 1024
   */
  maxSubscriptions: number({ default: DEFAULT_MAX_SUBSCRIPTIONS }),
  /**
   * Maximum number of bytes queued on standard output for a client that is not reading. A response that does not fit is
   * replaced by an error. Not part of the official SDK.
   * @default 67108864
   */
  maxQueueBytes: number({ default: 64 * 1_048_576 }),
});

/** Options of `serveStdio`. */
export interface ServeStdioOptions extends OptionsOf<typeof STDIO_OPTIONS> {}

/** A running stdio server. */
export interface StdioServerHandle {
  /** Ends listening streams and closes the connection. */
  close(): Promise<void>;
}

/**
 * Serves one client over stdio. The factory creates the server when the client's first message arrives.
 *
 * @example serveStdio(() => createServer());
 * @throws if an option is unknown or invalid
 */
export function serveStdio(factory: McpServerFactory, options: ServeStdioOptions = {}): StdioServerHandle {
  const settings = parseOptions(STDIO_OPTIONS, options);
  const { legacy, transport, maxSubscriptions, maxQueueBytes } = settings;
  const onerror = toReporter(settings.onerror);
  const host = new StdioHost(factory, { isModernOnly: legacy === "reject", maxSubscriptions, onerror });
  const report = (error: unknown) => onerror(toError(error));
  // Without `onerror`, the reason for which a connection ends is printed to standard error.
  const onError = settings.onerror && report;
  if (transport !== undefined) transport.onerror = report;
  const opened =
    transport === undefined
      ? Promise.resolve(serveStreams(host, { ...STREAMS, maxQueueBytes, onError }))
      : connect(host, transport, { onError: report }).catch(report);
  return {
    async close() {
      host.close();
      await settleWrites();
      // A transport that could not start has no connection.
      const connection = (await opened) ?? transport;
      await connection?.close().catch(report);
    },
  };
}

const STREAMS = { limits: STDIO_LIMITS, oversized: "close", banner: false } as const;

/** Waits until the final responses of listening streams have been written. */
async function settleWrites(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
