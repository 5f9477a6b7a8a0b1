/**
 * @fileoverview The `tenon run` command: serves a module over stdio or HTTP until it is stopped.
 * @module cli/commands/run
 */
import type { RequestListener } from "node:http";
import type { ArgsDef } from "citty";
import { createHttpMcpRouter, type HttpMcpRouter } from "@tenon/kit";
import { toServerSource } from "@tenon/sdk/adapters";
import { listen } from "tenon/node";
import { serveStdio } from "tenon/stdio";
import { LOOPBACK_HOSTS, toHostName } from "@tenon/internal/security/loopback";
import {
  cliError,
  type Command,
  EXIT,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import { isJsonOutput, MODULE_DESCRIPTION, outputArgs } from "../client/target.js";
import { claimStdout } from "../load/claim-stdout.js";
import { type LoadedServer, loadServer } from "../load/load-server.js";
import { type Address, assertHosts, parseAddress } from "../run/address.js";
import { type Announce, parseNodes, runNodes } from "../run/run-nodes.js";

const ARGS: ArgsDef = {
  file: { type: "positional", description: MODULE_DESCRIPTION },
  port: {
    type: "string",
    valueHint: "number",
    description: "Serve over HTTP on this port. 0 picks a free port",
  },
  host: { type: "string", valueHint: "address", description: "Address to listen on (default: 127.0.0.1)" },
  path: { type: "string", valueHint: "path", description: "Endpoint path (default: /mcp)" },
  "allow-host": {
    type: "string",
    valueHint: "name",
    description:
      "Host name that clients use. Required if other machines can reach the server. Can be repeated",
  },
  workers: {
    type: "string",
    valueHint: "number|auto",
    description: "Serve from this many processes, or one per CPU core with auto. Requires --port",
  },
  redis: {
    type: "string",
    valueHint: "url",
    description:
      "Share sessions and tasks with other machines in this Redis (default: TENON_REDIS_URL). " +
      "Requires --port and @tenon/redis",
  },
  ...outputArgs("Print the address as JSON when the server is ready. Requires --port"),
};

/** The `run` command. Serves until the client disconnects (stdio) or the user stops the program. */
export const runCommand: Command = {
  name: "run",
  usage: "tenon run",
  description: "Serve a module over stdio, or over HTTP with --port",
  args: ARGS,
  repeatable: ["allow-host"],
  examples: [
    "tenon run src/server.ts",
    "tenon run src/server.ts:app",
    "tenon run src/server.ts --port 3000",
    "tenon run src/server.ts --port 0 --json",
    "tenon run src/server.ts --port 3000 --workers auto --redis redis://127.0.0.1:6379",
  ],
  async run(invocation, terminal) {
    const { text, all } = invocation;
    const file = text("file") ?? "";
    // A URL on the command line is visible to other users of the machine. Over stdio, the variable has no effect.
    const redis = text("redis") ?? (text("port") === undefined ? undefined : terminal.env["TENON_REDIS_URL"]);
    const nodes = parseNodes({ workers: text("workers"), redis }, terminal.env);
    const address = parseAddress({
      port: text("port"),
      host: text("host"),
      path: text("path"),
      allowed: all("allow-host"),
    });
    const isJson = isJsonOutput(invocation);
    if (address === undefined) {
      const stray = nodes === undefined ? (isJson ? "--json" : undefined) : strayFlag(text("workers"));
      if (stray !== undefined) throw usageError(`${stray} requires --port.`);
      return runStdio(file, terminal);
    }
    return withAnnouncer(isJson, terminal, async (announce) =>
      nodes === undefined
        ? runHttp(file, { address, announce }, terminal)
        : runNodes(await loadServer(file, terminal.cwd), { address, nodes, announce }, terminal),
    );
  },
};

function strayFlag(workers: string | undefined): string {
  return workers === undefined ? "--redis" : "--workers";
}

/** Runs a function that announces the address: as JSON on standard output, or as text on standard error. */
async function withAnnouncer(
  isJson: boolean,
  { stderr }: Terminal,
  run: (announce: Announce) => Promise<number>,
): Promise<number> {
  if (!isJson)
    return run(({ url, detail = "" }) => {
      stderr.write(`Serving ${url}${detail}\n`);
    });
  // The module's output must not mix with the JSON.
  const claimed = claimStdout();
  try {
    return await run(({ url }) => {
      claimed.output.write(`${JSON.stringify({ url, port: Number(new URL(url).port || 80) })}\n`);
    });
  } finally {
    claimed.release();
  }
}

async function runStdio(file: string, terminal: Terminal): Promise<number> {
  // Standard output is reserved before the module is loaded, because clients would read its output as messages.
  const claimed = claimStdout();
  try {
    const { origin, context } = await loadServer(file, terminal.cwd);
    const source = toServerSource(origin);
    const server = await source.open("stdio");
    // `serveStdio` prints failures, and a line on a terminal, to standard error.
    const transport = serveStdio(server, {
      input: terminal.stdin,
      output: claimed.output,
      context,
      signals: false,
    });
    terminal.signal.addEventListener("abort", () => void transport.close());
    if (terminal.signal.aborted) void transport.close();
    await transport.closed;
    return EXIT.ok;
  } finally {
    claimed.release();
  }
}

interface HttpRun {
  readonly address: Address;
  readonly announce: Announce;
}

async function runHttp(file: string, { address, announce }: HttpRun, terminal: Terminal): Promise<number> {
  const { port, host, path, allowed } = address;
  const loaded = await loadServer(file, terminal.cwd);
  assertHosts(address);
  const hosts = allowed.length > 0 ? allowed : [...LOOPBACK_HOSTS, toHostName(host)];
  const router = createRouter(loaded, hosts);
  const isReady = () => !terminal.signal.aborted;
  const http = await listen(createRoute({ path, router, isReady }), {
    port,
    host,
    allowedHosts: allowed.length > 0 ? allowed : undefined,
  }).catch((error: unknown) => {
    throw cliError(describeListenFailure(error, address));
  });
  if (loaded.isSingle) {
    terminal.stderr.write(
      "This server supports only one session. To support more, export a function that returns a new server.\n",
    );
  }
  announce({ url: `http://${toHostName(host)}:${http.port}${path}` });
  await whenAborted(terminal.signal);
  const deadline = Date.now() + GRACE_MS;
  await router.close(GRACE_MS);
  await http.close(deadline);
  return EXIT.ok;
}

/** Time limit in milliseconds for calls in flight when the program is stopped. */
const GRACE_MS = 5_000;

function createRouter({ origin, context }: LoadedServer, allowedHosts: readonly string[]): HttpMcpRouter {
  try {
    return createHttpMcpRouter({ ...origin, allowedHosts, context });
  } catch (error) {
    return failedToStart(error);
  }
}

interface Routes {
  /** Path of the endpoint. */
  readonly path: string;
  readonly router: HttpMcpRouter;
  /** Returns false from the moment when the program is stopped. */
  readonly isReady: () => boolean;
}

/** Creates a request handler that serves the endpoint, and health checks at `/healthz` and `/readyz`. */
function createRoute({ path, router, isReady }: Routes): RequestListener {
  return (request, response) => {
    const [pathname] = (request.url ?? "/").split("?", 1);
    if (pathname === path) {
      router(request, response);
      return;
    }
    const probe = request.method === "GET" ? pathname : undefined;
    const isHealthy = probe === "/healthz" || (probe === "/readyz" && isReady());
    const [status, body] = isHealthy ? OK : probe === "/readyz" ? UNAVAILABLE : NOT_FOUND;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(body);
  };
}

const OK = [200, '{"status":"ok"}'] as const;
const UNAVAILABLE = [503, '{"status":"unavailable"}'] as const;
const NOT_FOUND = [404, '{"error":"not found"}'] as const;

function describeListenFailure(error: unknown, { port, host }: Address): string {
  const { code, message } = error as NodeJS.ErrnoException; // Safe: `listen` rejects only with this type
  if (code === "EADDRINUSE")
    return `Port ${port} is already in use. Choose a different port, or pass 0 to pick a free port.`;
  if (code === "EACCES") return `Port ${port} requires administrator privileges. Choose a port above 1023.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `This machine does not have the address ${host}. Use --host 127.0.0.1 for local clients.`;
  return `Could not listen on ${host}: ${message}`;
}

function failedToStart(error: unknown): never {
  throw cliError(`Could not start the server: ${error instanceof Error ? error.message : String(error)}`);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
