/**
 * @fileoverview Agent server that is attacked: `node --expose-gc server.ts FOLDER`. Prints its URL, and its memory for each
 * line of its input.
 * @module tools/attack/agent/server
 */
import { createInterface } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AgentServerBuilder } from "@tenon/agent";

const [storage = ""] = process.argv.slice(2);
const server = new AgentServerBuilder().storagePath(storage).build();
const { url } = await server.start({ port: 0 });
process.stdout.write(`${url}\n`);
createInterface({ input: process.stdin }).on("line", () => void report());

async function report(): Promise<void> {
  const peak = process.resourceUsage().maxRSS * 1_024;
  for (let turn = 0; turn < COLLECTIONS; turn++) {
    globalThis.gc?.();
    // Buffers are released between two turns.
    await nextTurn();
  }
  const { rss, external, heapUsed } = process.memoryUsage();
  const memory = { connectionCount: server.connectionCount, rss, peak, held: external + heapUsed };
  process.stdout.write(`${JSON.stringify(memory)}\n`);
}

const COLLECTIONS = 4;
