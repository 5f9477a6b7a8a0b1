/**
 * @fileoverview The `tenon run` command: serves a module over stdio or HTTP until it is stopped.
 * @module cli/commands/run
 */
import type { RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createHttpMcpRouter, type HttpMcpRouter } from "@tenon/kit";
import { toServerSource } from "@tenon/sdk/adapters";
import { listen } from "tenon/node";
import { serveStdio } from "tenon/stdio";
import { LOOPBACK_HOSTS, toHostName } from "@tenon/internal/security/loopback";
import {
  cliError,
  EXIT,
  isTerminated,
  type Terminal,
  usageError,
  whenAborted,
} from "@tenon/internal/command-line/command";
import { defineCommand, isJsonOutput, MODULE_ARGS, outputArgs } from "../define-command.js";
import { claimStdout } from "../load/claim-stdout.js";
import { type LoadedServer, loadServer } from "../load/load-server.js";
import { type Address, addressArgs, assertHosts, portFlag } from "../run/address.js";
import { type Announce, NODE_ARGS, runNodes } from "../run/run-nodes.js";

/** The `run` command. Serves until the client disconnects (stdio) or the user stops the program. */
export const runCommand = defineCommand({
  name: "run",
  description: "Serve a module over stdio, or over HTTP with --port",
  args: {
    ...MODULE_ARGS,
    port: portFlag("Serve over HTTP on this port. 0 picks a free port"),
    ...addressArgs({ requires: "port" }),
    ...NODE_ARGS,
    ...outputArgs("Print the address as JSON when the server is ready. Requires --port", {
      requires: "port",
    }),
  },
  examples: [
    "tenon run src/server.ts",
    "tenon run src/server.ts:app",
    "tenon run src/server.ts --port 3000",
    "tenon run src/server.ts --port 0 --json",
    "tenon run src/server.ts --port 3000 --workers auto --redis redis://127.0.0.1:6379",
  ],
  async run(flags, terminal) {
    const { file, port, workers, redis } = flags;
    const isJson = isJsonOutput(flags);
    if (port === undefined) {
      if (isJson) throw usageError("--json requires --port.");
      return runStdio(file, terminal);
    }
    const address = { ...flags, port };
    return withAnnouncer(isJson, terminal, async (announce) =>
      workers === undefined && redis === undefined
        ? runHttp(file, { address, announce }, terminal)
        : runNodes(await loadServer(file, terminal.cwd), { address, nodes: flags, announce }, terminal),
    );
  },
});

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
  const { port, host, path, allowHost: allowed } = address;
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
  // Load balancers get time to notice that `/readyz` fails.
  if (isTerminated(terminal.signal)) await sleep(DRAIN_MS);
  const deadline = Date.now() + GRACE_MS;
  await router.close(GRACE_MS);
  await http.close(deadline);
  return EXIT.ok;
}

/** Time limit in milliseconds for calls in flight when the program is stopped. */
const GRACE_MS = 5_000;

/** Time in milliseconds between SIGTERM and the shutdown, as in `serve`. */
const DRAIN_MS = 5_000;

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
    const retry = status === 503 ? { "retry-after": "1" } : {};
    response.writeHead(status, { "content-type": "application/json", ...retry });
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
