/**
 * @fileoverview A server process for load tests: `echo` responds immediately or after a delay, and prints when a long delay
 * starts.
 * @module tools/load/server
 */
import { z } from "zod";
import { defineServer } from "tenon";
import { serve } from "tenon/node";

const server = defineServer({ name: "load", version: "1" }).tool("echo", {
  input: z.object({ text: z.string(), afterMs: z.number().max(600_000).optional() }),
  handler: ({ text, afterMs }) => {
    if (afterMs === undefined) return text;
    if (afterMs > 1_000) process.stdout.write("started\n");
    return new Promise<string>((resolve) => setTimeout(() => resolve(text), afterMs));
  },
});

const running = await serve(server, {
  transport: { type: "http", port: 0 },
  graceMs: 60_000,
  drainMs: 0,
  banner: false,
});
process.stdout.write(`${running.url}\n`);
