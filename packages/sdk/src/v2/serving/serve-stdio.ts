/**
 * @fileoverview `serveStdio`: serves one client over stdio, in every protocol revision.
 * @module sdk/v2/serving/serve-stdio
 */
import { serveStdio as serveStreams } from "tenon/stdio";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import { connect } from "../../adapters/connect.js";
import type { SdkTransport } from "../../adapters/sdk-shapes.js";
import { toReporter } from "./create-mcp-handler.js";
import { DEFAULT_MAX_SUBSCRIPTIONS } from "./listen-hub.js";
import { type McpServerFactory, toError } from "./product.js";
import { StdioHost } from "./stdio-host.js";

/** Options of `serveStdio`. */
export interface ServeStdioOptions {
  /**
   * Clients that use a legacy revision: `serve` serves them, `reject` rejects their requests.
   * @default "serve"
   */
  readonly legacy?: "serve" | "reject";
  /**
   * An official transport to use instead of the process's streams.
   * @default standard input and output
   */
  readonly transport?: SdkTransport;
  /** Called with errors that no caller receives. */
  readonly onerror?: (error: Error) => void;
  /**
   * Maximum number of open `subscriptions/listen` streams.
   * @default 1024
   */
  readonly maxSubscriptions?: number;
}

/** A running stdio server. */
export interface StdioServerHandle {
  /** Ends listening streams and closes the connection. */
  close(): Promise<void>;
}

const NAMES: OptionNames<ServeStdioOptions> = {
  legacy: true,
  transport: true,
  onerror: true,
  maxSubscriptions: true,
};

/**
 * Serves one client over stdio. The factory creates the server when the client's first message arrives.
 *
 * @example serveStdio(() => createServer());
 * @throws if an option is unknown
 */
export function serveStdio(factory: McpServerFactory, options: ServeStdioOptions = {}): StdioServerHandle {
  assertKnownOptions(options, { label: "serveStdio", names: NAMES, aliases: {} });
  const { legacy = "serve", transport, maxSubscriptions = DEFAULT_MAX_SUBSCRIPTIONS } = options;
  const onerror = toReporter(options.onerror);
  const host = new StdioHost(factory, { isModernOnly: legacy === "reject", maxSubscriptions, onerror });
  const report = (error: unknown) => onerror(toError(error));
  if (transport === undefined) {
    const running = serveStreams(host, { onError: report, banner: false });
    return {
      async close() {
        host.close();
        await settleWrites();
        await running.close();
      },
    };
  }
  const opened = connect(host, transport, { onError: report }).catch((error: unknown) => {
    report(error);
    return undefined;
  });
  return {
    async close() {
      host.close();
      await settleWrites();
      await (await opened)?.close();
    },
  };
}

/** Waits until the final responses of listening streams have been written. */
async function settleWrites(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
