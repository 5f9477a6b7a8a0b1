import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, truncateSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { compileProgram } from "../../../../tools/compile-program.js";
import { openStoredFile } from "../../src/files/open-file.js";
import { listen, makeFolder, routerOf, uriOf } from "../support/files/served-store.js";
import type { Reading } from "../support/files/serving-child.js";

const MIB = 1024 * 1024;
const BIG = 200 * MIB;
const GET = "GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** Creates a store with one sparse file of the given size. */
function bigStore(bytes = BIG): string {
  const store = makeFolder();
  writeFileSync(join(store, "big.bin"), "");
  truncateSync(join(store, "big.bin"), bytes);
  return store;
}

/** Starts a server in a child process. */
async function startChild(store: string, stallMs = 60_000) {
  const path = fileURLToPath(new URL("../support/files/serving-child.ts", import.meta.url));
  const child: ChildProcess = fork(compileProgram(path), [uriOf(store), String(stallMs)], { execArgv: [] });
  onTestFinished(() => void child.kill());
  const [port] = (await once(child, "message")) as [number];
  const read = async (): Promise<Reading> => {
    child.send("read");
    const [reading] = (await once(child, "message")) as [Reading];
    return reading;
  };
  /** Waits until this many files are open, or until a timeout. */
  const untilOpen = async (count: number): Promise<number> => {
    for (let tries = 0; tries < 100 && (await read()).open !== count; tries++) await delay(20);
    return (await read()).open;
  };
  return { port, read, untilOpen };
}

function openTo(port: number, text: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}); // some tests expect the connection to be cut
  onTestFinished(() => void socket.destroy());
  socket.write(text);
  return socket;
}

/** Returns the number of bytes received until the socket ends. `pause` runs after each chunk. */
async function drain(socket: Socket, pause?: (got: number) => Promise<unknown>): Promise<number> {
  let got = 0;
  try {
    for await (const chunk of socket as AsyncIterable<Uint8Array>) {
      got += chunk.length;
      await pause?.(got);
    }
  } catch {
    // The server reset the connection.
  }
  return got;
}

describe.runIf(existsSync("/proc/self/fd"))("a server in a child process", () => {
  test("Z35: sends 200 MiB to a slow client with constant memory", async () => {
    const { port, read } = await startChild(bigStore());
    await drain(openTo(port, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")); // warms up
    const before = (await read()).rss;
    const socket = openTo(port, GET.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    let peak = 0;
    let next = 0;
    const got = await drain(socket, async (sofar) => {
      if (sofar < next) return;
      next = sofar + 4 * MIB;
      if (peak === 0) await delay(500); // reads nothing for a while, so that buffers fill up
      peak = Math.max(peak, (await read()).rss);
      await delay(5);
    });
    expect(got).toBeGreaterThan(BIG);
    expect(got).toBeLessThan(BIG + 1_000);
    expect((peak - before) / MIB).toBeLessThan(48);
  });

  test("Z35: closes the file when a download is interrupted", async () => {
    const { port, read, untilOpen } = await startChild(bigStore());
    const sockets = Array.from({ length: 20 }, () => openTo(port, GET));
    await Promise.all(sockets.map((socket) => once(socket, "readable")));
    expect(await untilOpen(20)).toBe(20);
    for (const [at, socket] of sockets.entries()) {
      if (at % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
    expect(await untilOpen(0)).toBe(0);
    expect((await read()).warnings).toEqual([]);
  });

  test("Z35: closes the file after HEAD, 304, 416, and a whole download", async () => {
    const { port, read, untilOpen } = await startChild(bigStore(1_000));
    const url = `http://127.0.0.1:${port}/big`;
    const etag = (await fetch(url)).headers.get("etag") ?? "";
    expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
    expect((await fetch(url, { headers: { range: "bytes=5000-" } })).status).toBe(416);
    expect((await fetch(url, { headers: { "if-match": '"x"' } })).status).toBe(412);
    expect(
      (await fetch(url, { headers: { "if-none-match": etag, "cache-control": "max-age=0" } })).status,
    ).toBe(304);
    expect(await untilOpen(0)).toBe(0);
    expect((await read()).warnings).toEqual([]);
  });

  test("Z35: opens one file at a time per connection, regardless of pipelined requests", async () => {
    const { port, read, untilOpen } = await startChild(bigStore());
    const socket = openTo(port, GET.repeat(300));
    await once(socket, "readable");
    await delay(200);
    expect((await read()).open).toBe(1);
    socket.destroy();
    expect(await untilOpen(0)).toBe(0);
  });

  test("Z35: disconnects a client that reads nothing", async () => {
    const { port, untilOpen } = await startChild(bigStore(), 300);
    const socket = openTo(port, GET);
    await once(socket, "readable");
    expect(await untilOpen(1)).toBe(1);
    expect(await untilOpen(0)).toBe(0);
    expect(await drain(socket)).toBeLessThan(BIG);
  });
});

test("Z35: responds to pipelined requests in order", async () => {
  const store = makeFolder();
  const names = Array.from({ length: 50 }, (_, at) => `file-${at}`);
  for (const name of names) writeFileSync(join(store, `${name}.txt`), `[${name}]`);
  const port = await listen(routerOf(store));
  const last = names.length - 1;
  const requests = names.map(
    (name, at) =>
      `GET /exports/${name} HTTP/1.1\r\nHost: x\r\n${at === last ? "Connection: close\r\n" : ""}\r\n`,
  );
  const socket = openTo(port, requests.join(""));
  let got = "";
  socket.on("data", (chunk) => (got += chunk.toString()));
  await once(socket, "close");
  expect([...got.matchAll(/\[(file-\d+)\]/g)].map(([, name]) => name)).toEqual(names);
});

test("Z35: does not disconnect a slow client that keeps reading", async () => {
  const port = await listen(routerOf(bigStore(12 * MIB), { stallMs: 2_000 }));
  const socket = openTo(port, "GET /exports/big HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  let next = 0;
  const got = await drain(socket, async (sofar) => {
    if (sofar < next) return;
    next = sofar + MIB;
    await delay(250); // longer than the limit in total
  });
  expect(got).toBeGreaterThan(12 * MIB);
});

test("Z35: a file truncated during transfer does not look complete, and its connection is not reused", async () => {
  const store = bigStore(50 * MIB);
  const port = await listen(routerOf(store));
  const socket = openTo(port, "GET /exports/big HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "readable");
  truncateSync(join(store, "big.bin"), 1_000);
  // Shorter than the timeout for idle connections.
  const got = await Promise.race([drain(socket), delay(2_500, Number.POSITIVE_INFINITY)]);
  expect(got).toBeLessThan(50 * MIB);
});

test("Z36: returns a handle only for the file that was checked", async () => {
  const store = bigStore(10);
  const file = await openStoredFile(store, "big.bin");
  expect(file?.stat.size).toBe(10);
  await file?.handle.close();
  expect(await openStoredFile(store, "missing.bin")).toBe(undefined);
  expect(await openStoredFile(join(store, "big.bin"), "x")).toBe(undefined);
});
