import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import type { Server } from "node:http";
import { connect, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openCallbackServer } from "../../src/login/callback-server.js";
import { limitConnections } from "../../src/login/limit-connections.js";
import type { PageName } from "../../src/login/pages.js";

/** Maximum number of connections that the server keeps. */
const KEPT = 64;

async function openServer(onCallback: () => Promise<PageName> = async () => "done") {
  const server = await openCallbackServer({
    host: "127.0.0.1",
    path: "/callback",
    state: "right",
    background: false,
    onCallback,
  });
  onTestFinished(() => server.close());
  const callback = (state: string) => fetch(`${server.redirectUri}?code=c&state=${state}`);
  return { port: Number(new URL(server.redirectUri).port), callback };
}

/** Opens connections one after the other. `start` can send the beginning of a request. */
async function openConnections(port: number, start: (socket: Socket) => void = () => undefined) {
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  while (sockets.length < 200) {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    socket.resume();
    sockets.push(socket);
    await once(socket, "connect");
    start(socket);
  }
  return { open: () => sockets.filter(({ destroyed }) => !destroyed).length };
}

/** Sends the headers of a request one byte at a time, without an end. */
function sendSlowly(socket: Socket): void {
  socket.write("GET /callback HTTP/1.1\r\nHost: ");
  const timer = setInterval(() => socket.write("x"), 20);
  socket.once("close", () => clearInterval(timer));
}

test.each([
  ["idle", undefined],
  ["slow", sendSlowly],
])("200 %s local connections do not keep the callback out", async (_kind, start) => {
  const { port, callback } = await openServer();
  const { open } = await openConnections(port, start);
  await expect.poll(open).toBeLessThanOrEqual(KEPT);
  expect(open()).toBeGreaterThan(0);
  expect((await callback("right")).status).toBe(200);
});

test("a callback in flight keeps its connection", async () => {
  let finish: (page: PageName) => void = () => undefined;
  const page = new Promise<PageName>((resolve) => (finish = resolve));
  let isCalled = false;
  const { port, callback } = await openServer(() => {
    isCalled = true;
    return page;
  });
  const response = callback("right");
  await expect.poll(() => isCalled).toBe(true);
  const { open } = await openConnections(port);
  await expect.poll(open).toBeLessThanOrEqual(KEPT);
  finish("done");
  expect((await response).status).toBe(200);
});

test("a program that opens a connection for each one that is closed does not keep the callback out", async () => {
  const { port, callback } = await openServer();
  const script = `
    const { connect } = require("node:net");
    let opened = 0;
    const open = () => {
      const socket = connect(${port}, "127.0.0.1", () => ++opened === 1_000 && console.log("ready"));
      socket.on("error", () => undefined).once("close", open).resume();
    };
    for (let count = 0; count < 200; count++) open();
  `;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  for (let count = 0; count < 20; count++) expect((await callback("wrong")).status).toBe(400);
  expect((await callback("right")).status).toBe(200);
});

test("connections that arrive at once are closed only after what they have sent could be read", async () => {
  // Some versions of Node.js accept all waiting connections in one turn, so the server is simulated.
  const server = new EventEmitter();
  limitConnections(server as unknown as Server, KEPT); // only its events are used
  const sockets = Array.from({ length: 100 }, () => new Socket());
  for (const socket of sockets) server.emit("connection", socket);
  const open = () => sockets.filter(({ destroyed }) => !destroyed);
  setImmediate(() => server.emit("request", { socket: sockets[0] }, new EventEmitter()));
  expect(open()).toHaveLength(100);
  await expect.poll(open).toHaveLength(KEPT);
  expect(open()).toEqual([sockets[0], ...sockets.slice(-KEPT + 1)]);
});
