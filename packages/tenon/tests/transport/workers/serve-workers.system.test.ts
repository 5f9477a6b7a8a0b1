import { createServer } from "node:net";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { openSession } from "../../../../../tests/support/http-messages.js";
import type { Endpoint } from "../../../../../tests/support/http-faces.js";
import {
  call,
  type Program,
  startProgram,
  taskMethod,
  textOf,
} from "../../support/transport/workers/program.js";

const toEndpoint = (url: string): Endpoint => ({
  port: Number(new URL(url).port),
  fetch: (init) => fetch(url, { ...init, headers: { ...(init.headers as object), connection: "close" } }),
  close: async () => undefined,
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Waits until both workers of a program have printed their process IDs. */
async function startTwo(
  options: object = {},
): Promise<{ program: Program; url: string; pids: readonly number[] }> {
  const program = startProgram(options);
  const url = await program.listening();
  await vi.waitFor(() => expect(program.workers()).toHaveLength(2));
  return { program, url, pids: program.workers() };
}

test("all workers serve the same free port, and one line tells where", async () => {
  const { program, url, pids } = await startTwo();
  const served = new Set<number>();
  await vi.waitFor(async () => {
    served.add(Number(textOf(await call(url, "pid"))));
    expect(served).toEqual(new Set(pids));
  });
  expect(served).not.toContain(program.process.pid);
  expect(program.stderr()).toBe(`[tenon] Server "workers" is listening on ${url} (2 workers)\n`);
});

test("`banner: false` prints nothing", async () => {
  const program = startProgram({ banner: false });
  await vi.waitFor(() => expect(program.workers()).toHaveLength(2));
  program.process.kill("SIGTERM");
  expect(await program.ended).toBe(0);
  expect(program.stderr()).toBe("");
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s stops all workers after the calls in flight",
  async (signal) => {
    const { program, url, pids } = await startTwo();
    const waiting = call(url, "wait", { ms: 500 });
    await vi.waitFor(async () => {
      const metrics = await (await fetch(new URL("/metrics", url))).text();
      expect(metrics).toMatch(/^tenon_requests_in_flight\{worker="\d"\} 1$/m);
    });
    program.process.kill(signal);
    expect(pids.map(String)).toContain(textOf(await waiting));
    expect(await program.ended).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
  },
);

test("a second signal exits at once, and so do the workers", async () => {
  const { program, url, pids } = await startTwo({ graceMs: 60_000 });
  const waiting = call(url, "wait", { ms: 60_000 }).catch(() => "closed");
  await vi.waitFor(async () => {
    const metrics = await (await fetch(new URL("/metrics", url))).text();
    expect(metrics).toMatch(/^tenon_requests_in_flight\{worker="\d"\} 1$/m);
  });
  program.process.kill("SIGTERM");
  await vi.waitFor(async () => expect((await fetch(new URL("/readyz", url))).status).toBe(503));
  program.process.kill("SIGTERM");
  expect(await program.ended).toBe(130);
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]));
  expect(await waiting).toBe("closed");
});

test("the workers end if the first process is killed", async () => {
  const { program, pids } = await startTwo();
  program.process.kill("SIGKILL");
  expect(await program.ended).toBe("SIGKILL");
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]));
});

test("a port in use is reported once", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const program = startProgram({ port });
  expect(await program.ended).toBe(1);
  const sentence = `Port ${port} is already in use on 127.0.0.1.`;
  expect(program.stderr().split(sentence)).toHaveLength(2);
  expect(program.workers()).toEqual([]);
});

test("the program stops with the reason if the workers end before they listen", async () => {
  const program = startProgram({}, { FAIL_WORKERS: "1" });
  expect(await program.ended).toBe(1);
  expect(program.stderr()).toMatch(
    /Error: The workers cannot start: worker \d ended with exit code 7 before it was listening\./,
  );
});

test("a mistake that only the workers find is reported once", async () => {
  const program = startProgram({}, { TASK_DIRECTORY: "tasks" });
  expect(await program.ended).toBe(1);
  expect(program.stderr().split("tasks: `directory` cannot be combined with a shared `store`")).toHaveLength(
    2,
  );
});

test("a worker that is killed under load is replaced, and sessions and tasks continue", async () => {
  const { program, url, pids } = await startTwo();
  const session = await openSession(toEndpoint(url));
  const created = await Promise.all(Array.from({ length: 6 }, () => call(url, "job", { ms: 2_000 })));
  const ids = created.map((result) => String(result["taskId"]));
  const load = new AbortController();
  const loading = (async () => {
    // Requests on a connection of the killed worker fail. All others must not.
    while (!load.signal.aborted) await call(url, "pid").catch(() => undefined);
  })();
  const [victim = 0] = pids;
  process.kill(victim, "SIGKILL");
  await vi.waitFor(() => expect(program.workers()).toHaveLength(3));
  load.abort();
  await loading;
  expect(program.stderr()).toMatch(
    /^\S+Z \[tenon\] Worker \d was ended by SIGKILL\. It restarts in 100 ms\.$/m,
  );
  const live = program.workers().filter((pid) => pid !== victim);
  const served = new Set<number>();
  await vi.waitFor(async () => {
    const response = await session.call("pid");
    expect(response.status).toBe(200);
    const text = await response.text();
    served.add(Number(/"text":"(\d+)"/.exec(text)?.[1]));
    expect(served).toEqual(new Set(live));
  });
  for (const taskId of ids) {
    await vi.waitFor(async () => {
      const { status, result } = await taskMethod(url, "tasks/get", taskId);
      expect(status).toBe("completed");
      expect(live).toContain(Number(textOf(result as Record<string, unknown>)));
    });
  }
});

test("the server stops with exit code 1 if replaced workers cannot start any more", async () => {
  const program = startProgram({}, { FAIL_LATER: "1" });
  await program.listening();
  await vi.waitFor(() => expect(program.workers()).toHaveLength(2));
  const [victim = 0] = program.workers();
  process.kill(victim, "SIGKILL");
  expect(await program.ended).toBe(1);
  expect(program.stderr()).toMatch(
    /^\S+Z \[tenon\] The server stops\. The workers cannot start: worker \d ended with/m,
  );
});

test("a replaced worker that cannot open the store does not stop the others, and is replaced again", async () => {
  const program = startProgram({}, { FAIL_STORE: "later" });
  await program.listening();
  await vi.waitFor(() => expect(program.workers()).toHaveLength(2));
  const [victim = 0] = program.workers();
  process.kill(victim, "SIGKILL");
  await vi.waitFor(() => expect(program.workers()).toHaveLength(3));
  expect(program.stderr()).toMatch(
    /ended with exit code 1\. It restarts in 200 ms\. Reason: .*The store is away\./,
  );
  expect(program.stderr()).not.toContain("The server stops");
});

test("probes and metrics are served by every worker, and the metrics contain all of them", async () => {
  const { url, pids } = await startTwo();
  for (const path of ["/healthz", "/readyz"]) {
    const response = await fetch(new URL(path, url));
    expect([response.status, await response.text()]).toEqual([200, '{"status":"ok"}']);
  }
  await call(url, "pid");
  const response = await fetch(new URL("/metrics", url));
  const text = await response.text();
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  for (const number of pids.keys()) expect(text).toContain(`process_uptime_seconds{worker="${number + 1}"} `);
  expect(text).toMatch(/^tenon_store_up 1$/m);
  expect(text.match(/^# TYPE tenon_sessions gauge$/gm)).toHaveLength(1);
});
