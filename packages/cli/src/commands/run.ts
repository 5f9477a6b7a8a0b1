/**
 * @fileoverview `tenon run`: serves what a module exports, on stdio or HTTP, until it is told to stop.
 * @module cli/commands/run
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ArgsDef } from "citty";
import { createHttpMcpRouter, type HttpMcpRouter } from "@tenon/kit";
import { setupStdioTransport } from "@tenon/kit";
import { listen } from "tenon/node";
import { toHostName } from "@tenon/internal/security/loopback";
import { LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import {
  cliError,
  type Command,
  EXIT,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import { claimStdout } from "../load/claim-stdout.js";
import { type LoadedServer, loadServer } from "../load/load-server.js";
import { oneLine } from "@tenon/internal/command-line/text";

const ARGS: ArgsDef = {
  file: { type: "positional", description: "The module whose default export is the server" },
  port: {
    type: "string",
    valueHint: "number",
    description: "Serve over HTTP on this port; 0 takes any free one",
  },
  host: { type: "string", valueHint: "address", description: "Listen on this address; by default 127.0.0.1" },
  path: { type: "string", valueHint: "path", description: "The endpoint's path; by default /mcp" },
  "allow-host": {
    type: "string",
    valueHint: "name",
    description:
      "A name that the server is reached under, if other machines can reach it; may stand several times",
  },
};

/** The command. */
export const runCommand: Command = {
  name: "run",
  usage: "tenon run",
  description: "Serve a module's server on stdio, or on HTTP with --port",
  args: ARGS,
  repeatable: ["allow-host"],
  examples: ["tenon run src/server.ts", "tenon run src/server.ts --port 3000"],
  async run({ text, all }, terminal) {
    const file = text("file") ?? "";
    const address = checkAddress({
      port: text("port"),
      host: text("host"),
      path: text("path"),
      allowed: all("allow-host"),
    });
    return address === undefined ? runStdio(file, terminal) : runHttp(file, address, terminal);
  },
};

async function runStdio(file: string, terminal: Terminal): Promise<number> {
  // Before the module is loaded: what it prints would be taken for messages.
  const claimed = claimStdout();
  try {
    const { origin } = await loadServer(file, terminal.cwd);
    const server = origin.mcpServer ?? origin.serverFactory?.();
    if (server === undefined) throw new Error("a loaded file has a server");
    const streams = { input: terminal.stdin, output: claimed.output };
    const transport = await setupStdioTransport(server, streams).catch(failedToStart);
    terminal.signal.addEventListener("abort", () => void transport.close());
    if (terminal.signal.aborted) void transport.close();
    await transport.closed;
    return EXIT.ok;
  } finally {
    claimed.release();
  }
}

interface Address {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly allowed: readonly string[];
}

async function runHttp(file: string, address: Address, terminal: Terminal): Promise<number> {
  const loaded = await loadServer(file, terminal.cwd);
  const { port, host, path, allowed } = address;
  const hosts = allowed.length > 0 ? allowed : [...LOOPBACK_HOSTS, toHostName(host)];
  const router = createRouter(loaded, hosts);
  const http = await listen((request, response) => route(path, router, request, response), {
    port,
    host,
    allowedHosts: allowed.length > 0 ? allowed : undefined,
  }).catch((error: unknown) => {
    throw cliError(describeListenFailure(error, address));
  });
  if (loaded.isSingle) {
    terminal.stderr.write(
      "This server serves one session only: export a function that makes one to serve more.\n",
    );
  }
  terminal.stderr.write(`Serving http://${toHostName(host)}:${http.port}${path}\n`);
  await whenAborted(terminal.signal);
  await router.close(GRACE_MS);
  await http.close(Date.now() + GRACE_MS);
  return EXIT.ok;
}

/** How long calls under way may take to finish when the program is told to stop. */
const GRACE_MS = 5_000;

function createRouter({ origin }: LoadedServer, allowedHosts: readonly string[]): HttpMcpRouter {
  try {
    return createHttpMcpRouter({ ...origin, allowedHosts });
  } catch (error) {
    return failedToStart(error);
  }
}

function route(
  path: string,
  router: HttpMcpRouter,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const [pathname] = (request.url ?? "/").split("?", 1);
  if (pathname === path) {
    router(request, response);
    return;
  }
  const isHealth = pathname === "/healthz" && request.method === "GET";
  response.writeHead(isHealth ? 200 : 404, { "content-type": "application/json" });
  response.end(isHealth ? '{"status":"ok"}' : '{"error":"not found"}');
}

interface GivenAddress {
  readonly port: string | undefined;
  readonly host: string | undefined;
  readonly path: string | undefined;
  readonly allowed: readonly string[];
}

/** Where to listen; nowhere without a port. @throws CliError for flags that do not go together */
function checkAddress({ port, host, path = "/mcp", allowed }: GivenAddress): Address | undefined {
  if (port === undefined) {
    const stray = host === undefined ? (path === "/mcp" ? undefined : "--path") : "--host";
    const needs = stray ?? (allowed.length > 0 ? "--allow-host" : undefined);
    if (needs !== undefined) throw usageError(`${needs} goes with --port only`);
    return undefined;
  }
  if (!/^(0|[1-9]\d{0,4})$/.test(port) || Number(port) > 65_535) {
    throw usageError(`--port must be a whole number from 0 to 65535, not "${oneLine(port, 40)}"`);
  }
  if (!/^\/[\w./~-]*$/.test(path)) throw usageError("--path must begin with / and be a plain path");
  if (host !== undefined && !/^[\w.:%-]+$/.test(host)) {
    throw usageError("--host must be a host name or an IP address, without port or brackets");
  }
  return { port: Number(port), host: host ?? "127.0.0.1", path, allowed };
}

function describeListenFailure(error: unknown, { port, host }: Address): string {
  const { code, message } = error as NodeJS.ErrnoException; // Node's own, or ours
  if (code === "EADDRINUSE") return `Port ${port} is in use: choose another one, or 0 for any`;
  if (code === "EACCES") return `Port ${port} is not allowed for this user: choose one above 1023`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `${host} is no address of this machine`;
  return message.replace(
    "set allowedHosts to the names it is reached under",
    "give the names it is reached under with --allow-host",
  );
}

function failedToStart(error: unknown): never {
  throw cliError(`The server cannot start: ${error instanceof Error ? error.message : String(error)}`);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
