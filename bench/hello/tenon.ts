/**
 * @fileoverview One tool on stdio with Tenon.
 * @module bench/hello/tenon
 */
import { z } from "zod";
import { defineServer } from "../../packages/tenon/dist/index.js";
import { serveStdio } from "../../packages/tenon/dist/transport/stdio/index.js";

const server = defineServer({ name: "hello", version: "1.0.0" }).tool("hello", {
  input: z.object({ name: z.string() }),
  handler: ({ name }) => `Hello, ${name}`,
});

await serveStdio(server).closed;
