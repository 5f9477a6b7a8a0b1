import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { buildFixture } from "../../../../../tests/support/stdio-child.js";
import { modernCall } from "../../../../../tests/support/http-messages.js";
import { startProgram } from "../../support/transport/workers/program.js";

const STOP = new URL("../../support/regression/stop-fixture.ts", import.meta.url).href;

/** Server process behind the load balancer. */
interface Node {
  readonly child: ChildProcess;
  readonly port: number;
  isReady: boolean;
}

async function startServer(options: object): Promise<Node> {
  const child = spawn(process.execPath, [buildFixture(STOP)], {
    env: { ...process.env, OPTIONS: JSON.stringify(options) },
    stdio: ["pipe", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const line of createInterface({ input: child.stderr })) {
    const [, port] = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line) ?? [];
    if (port !== undefined) return { child, port: Number(port), isReady: true };
  }
  throw new Error("The server did not start.");
}

/** Forwards each request to a ready node. Asks every node a few times per second if it is ready, as orchestrators do. */
async function startBalancer(nodes: readonly Node[]): Promise<string> {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const ready = nodes.filter(({ isReady }) => isReady);
    const { port = 1 } = ready[turn++ % ready.length] ?? {};
    const { method, headers, url: path } = incoming;
    const forwarded = httpRequest({ port, host: "127.0.0.1", path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.writeHead(502).end());
    incoming.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const probe = setInterval(() => {
    for (const node of nodes)
      fetch(`http://127.0.0.1:${node.port}/readyz`).then(
        ({ status }) => (node.isReady = status === 200),
        () => (node.isReady = false),
      );
  }, 200);
  onTestFinished(() => {
    clearInterval(probe);
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`; // listening on a port
}

test("a rolling deploy behind a load balancer rejects no request", async () => {
  const nodes = [await startServer({ drainMs: 1_500 })];
  const url = await startBalancer(nodes);
  const statuses = new Map<number, number>();
  const state = { isOver: false };
  const caller = async () => {
    while (!state.isOver) {
      const response = await fetch(url, modernCall("echo", { text: "hi" }));
      await response.text();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  };
  const callers = Promise.all(Array.from({ length: 20 }, caller));
  for (let deploy = 0; deploy < 3; deploy++) {
    const old = nodes[deploy] as Node;
    nodes.push(await startServer({ drainMs: 1_500 }));
    await sleep(300);
    old.child.kill("SIGTERM");
    expect(await once(old.child, "exit")).toEqual([0, null]);
  }
  state.isOver = true;
  await callers;
  expect([...statuses.keys()]).toEqual([200]);
  expect(statuses.get(200)).toBeGreaterThan(100);
});

test("SIGINT does not drain, and a second SIGTERM ends the process at once", async () => {
  const first = await startServer({ drainMs: 60_000 });
  first.child.kill("SIGINT");
  expect(await once(first.child, "exit")).toEqual([0, null]);
  const second = await startServer({ drainMs: 60_000 });
  second.child.kill("SIGTERM");
  await vi.waitFor(async () => {
    expect((await fetch(`http://127.0.0.1:${second.port}/readyz`)).status).toBe(503);
  });
  second.child.kill("SIGTERM");
  expect(await once(second.child, "exit")).toEqual([130, null]);
});

test("workers drain together, also if every process gets the signal", async () => {
  const program = startProgram({ drainMs: 5_000 });
  const url = await program.listening();
  await vi.waitFor(() => expect(program.workers()).toHaveLength(2));
  for (const pid of [program.process.pid ?? 0, ...program.workers()]) process.kill(pid, "SIGTERM");
  const readiness = async () => (await fetch(new URL("/readyz", url))).status;
  await vi.waitFor(async () => {
    for (let count = 0; count < 5; count++) expect(await readiness()).toBe(503);
  });
  expect((await fetch(url, modernCall("pid"))).status).toBe(200);
  expect(await program.ended).toBe(0);
  expect(program.stderr()).not.toContain("restarts");
});

test("a worker that starts while the others drain is not ready either", async () => {
  const program = startProgram({ drainMs: 5_000 });
  const url = await program.listening();
  await vi.waitFor(() => expect(program.workers()).toHaveLength(2));
  const [lost = 0] = program.workers();
  process.kill(lost, "SIGKILL");
  await vi.waitFor(() => expect(program.stderr()).toContain("restarts in"));
  program.process.kill("SIGTERM");
  // No status means that the process has ended.
  const readiness = () =>
    fetch(new URL("/readyz", url), { headers: { connection: "close" } }).then(
      ({ status }) => status,
      () => undefined,
    );
  await vi.waitFor(async () => expect(await readiness()).toBe(503));
  const statuses = new Set<number | undefined>();
  while (program.process.exitCode === null) statuses.add(await readiness());
  statuses.delete(undefined);
  expect([...statuses]).toEqual([503]);
});
