/**
 * @fileoverview Serves the proxy over the command's standard input and output.
 * @module cli/dev/serve/serve-stdio
 */
import { serveStdio, type StdioTransport } from "tenon/stdio";
import type { Terminal } from "@tenon/internal/command-line/command";
import type { DevProxy } from "../proxy/dev-proxy.js";
import type { RequestHeaders } from "../proxy/client-request.js";

/** Serves one client until it disconnects. */
export function serveOverStdio(proxy: DevProxy, { stdin, stdout }: Terminal): StdioTransport {
  return serveStdio<RequestHeaders, never>(proxy, {
    input: stdin,
    output: stdout,
    context: undefined,
    signals: false,
    banner: false,
  });
}
