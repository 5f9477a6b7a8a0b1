/**
 * @fileoverview Clients of an agent server that together send more than its memory holds: messages that never end, and
 * large messages for one task.
 * @module tools/attack/agent/large-messages
 */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { upgrade } from "./ping-flood.js";
import { type AgentTarget, startTarget } from "./target.js";

const MEGABYTE = 1_048_576;

/** Numbers of clients. Together, they send several times as much as the heap of the server holds. */
const UNFINISHED = 300;
const SENDERS = 60;
const MESSAGES = 16;

/** Outcome of an attack. */
export interface LargeMessagesOutcome {
  /** Growth of the memory of the server's process, in megabytes. */
  readonly growth: number;
  /** Growth of the heap and the buffers that are in use, in megabytes. */
  readonly held: number;
  /** Attackers whose connection the server has closed. */
  readonly closed: number;
  /** Messages that the server rejected, because those in flight take too much memory. */
  readonly rejected: number;
}

/** Sends the largest message on many connections, except its last bytes. */
export function attackWithHalves(): Promise<LargeMessagesOutcome> {
  const frame = maskedFrame("x".repeat(MEGABYTE));
  return attack(UNFINISHED, async (socket) => {
    await write(socket, frame.subarray(0, -1_000));
  });
}

/** Sends large messages for one task on many connections at the same time. */
export function attackWithLargeMessages(): Promise<LargeMessagesOutcome> {
  const data = { taskId: "1", message: "x".repeat(1_000_000) };
  const frame = maskedFrame(JSON.stringify({ type: "userSendMessage", data }));
  return attack(SENDERS, async (socket) => {
    for (let sent = 0; sent < MESSAGES && socket.writable; sent++) await write(socket, frame);
  });
}

/** Opens connections that attack together. Then a regular client is served, and the memory measured. */
async function attack(count: number, run: (socket: Socket) => Promise<void>): Promise<LargeMessagesOutcome> {
  const storage = mkdtempSync(join(tmpdir(), "tenon-attack-"));
  const target = await startTarget(storage);
  const sockets: Socket[] = [];
  let rejected = 0;
  try {
    const before = await target.measure();
    const { hostname, port } = new URL(target.url);
    for (let index = 0; index < count; index++) {
      const socket = await upgrade(hostname, Number(port));
      socket.on("data", (chunk: Buffer) => {
        if (chunk.includes("too many large messages")) rejected++;
      });
      sockets.push(socket.resume());
    }
    await Promise.all(sockets.map(run));
    await serveRegularClient(target);
    const after = await target.measure();
    const held = (after.held - before.held) / 1_000_000;
    const closed = count - after.connectionCount;
    return { growth: (after.rss - before.rss) / 1_000_000, held, closed, rejected };
  } finally {
    for (const socket of sockets) socket.destroy();
    target.stop();
    rmSync(storage, { recursive: true, force: true });
  }
}

/** Creates a masked text frame of more than 65,535 bytes (RFC 6455, section 5.2). Its mask changes nothing. */
function maskedFrame(text: string): Buffer {
  const header = Buffer.alloc(14);
  header.set([0x81, 0xff]);
  header.writeBigUInt64BE(BigInt(text.length), 2);
  return Buffer.concat([header, Buffer.from(text)]);
}

/** Writes bytes. Resolves when the server has read them, or has closed the connection. */
async function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  if (socket.write(bytes)) return;
  await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined);
}

/** Requests the list of tasks. @throws if the server does not respond */
async function serveRegularClient({ url }: AgentTarget): Promise<void> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "listTasks", data: {} }));
  const listed = new Promise<void>((resolve) => {
    socket.on("message", (frame: Buffer) => {
      if (frame.includes('"taskList"')) resolve();
    });
  });
  const failure = new Error("A regular client of the agent server got no response.");
  const isLate = await Promise.race([listed, sleep(60_000, true, { ref: false })]);
  socket.terminate();
  if (isLate === true) throw failure;
}
