/**
 * @fileoverview HTTP server as a program, for tests that stop it with a signal. `OPTIONS` contains further options for
 * `serve`, as JSON. A line on standard input releases the calls and tasks that wait.
 * @module tests/support/regression/stop-fixture
 */
import { once } from "node:events";
import { defineServer } from "tenon";
import { serve } from "tenon/node";
import { tasks } from "tenon/tasks";
import { z } from "zod";

const released = once(process.stdin, "data").then(() => process.stdin.destroy());
process.stdin.unref(); // waiting for the line does not keep the process running

const server = defineServer({ name: "stop", version: "1.0.0" })
  .extension(tasks({ pollIntervalMs: 10, closeGraceMs: 60_000 }))
  .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
  .tool("large", { input: z.object({ length: z.int() }), handler: ({ length }) => "x".repeat(length) })
  .tool("wait", {
    handler: async () => {
      process.stdout.write("waiting\n");
      await released;
      return "waited";
    },
  })
  .tool("job", {
    task: "required",
    handler: async () => {
      process.stdout.write("working\n");
      await released;
      return "worked";
    },
  });

// Safe: the tests write it
await serve(server, {
  port: 0,
  graceMs: 60_000,
  drainMs: 0,
  ...(JSON.parse(process.env["OPTIONS"] ?? "{}") as object),
});
