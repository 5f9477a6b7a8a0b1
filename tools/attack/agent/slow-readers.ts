/**
 * @fileoverview Clients of an agent server that load long conversations and do not read them.
 * @module tools/attack/agent/slow-readers
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { AgentServerBuilder, createScriptedModel } from "@tenon/agent";
import { startTarget } from "./target.js";

/** Number of clients. */
export const SLOW_READERS = 150;

/** Size of a conversation, in bytes. */
const CONVERSATION = 12_000_000;

/** Outcome of the attack. */
export interface SlowReadersOutcome {
  /** Growth of the memory of the server's process after garbage collections, in megabytes. */
  readonly growth: number;
  /** Growth of the heap and the buffers that are in use, in megabytes. */
  readonly held: number;
  /** Highest growth at any time, with garbage, in megabytes. */
  readonly peak: number;
  /** Clients that are still connected. */
  readonly connected: number;
}

/** Runs the attack with a number of conversations, on a server in a process of its own. */
export async function attackWithSlowReaders(
  conversations: number,
  spareMegabytes?: number,
): Promise<SlowReadersOutcome> {
  const storage = mkdtempSync(join(tmpdir(), "tenon-attack-"));
  const sockets: WebSocket[] = [];
  await createConversations(storage, conversations);
  const target = await startTarget(storage, spareMegabytes);
  const { url } = target;
  try {
    await load(url, "0");
    const before = await target.measure();
    for (let index = 0; index < SLOW_READERS; index++) {
      const socket = await request(url, String(index % conversations));
      socket.pause();
      sockets.push(socket);
    }
    // Requests for a conversation are handled in order, so those of the others were handled before these.
    for (let index = 0; index < conversations; index++) await load(url, String(index));
    const after = await target.measure();
    return {
      growth: (after.rss - before.rss) / 1_000_000,
      held: (after.held - before.held) / 1_000_000,
      peak: (after.peak - before.rss) / 1_000_000,
      connected: after.connectionCount,
    };
  } finally {
    for (const socket of sockets) socket.terminate();
    target.stop();
    rmSync(storage, { recursive: true, force: true });
  }
}

/** Creates long conversations, whose IDs are "0", "1", … */
async function createConversations(storage: string, count: number): Promise<void> {
  const server = new AgentServerBuilder()
    .storagePath(storage)
    .model(createScriptedModel(["Done."]))
    .build();
  const file = { mediaType: "image/png", data: "A".repeat(CONVERSATION) };
  for (let index = 0; index < count; index++) {
    await server.run({ message: "Look", files: [file] }, { taskId: String(index) });
  }
}

/** Connects a client that loads a conversation. */
async function request(url: string, taskId: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  socket.on("error", () => undefined);
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "loadTask", data: { taskId } }));
  return socket;
}

/** Loads a conversation completely. */
async function load(url: string, taskId: string): Promise<void> {
  const socket = await request(url, taskId);
  await new Promise<void>((resolve, reject) => {
    socket.on("message", (data: Buffer) => {
      if (data.byteLength > CONVERSATION) resolve();
    });
    socket.on("close", (code) => reject(new Error(`The server closed the connection with code ${code}.`)));
  });
  socket.terminate();
}
