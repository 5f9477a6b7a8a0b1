/**
 * @fileoverview One tool on stdio with Tenon's `serve`, which can also serve HTTP.
 * @module bench/hello/tenon-serve
 */
import { z } from "zod";
import { defineServer } from "../../packages/tenon/dist/index.js";
import { serve } from "../../packages/tenon/dist/transport/node/index.js";

const server = defineServer({ name: "hello", version: "1.0.0" }).tool("hello", {
  input: z.object({ name: z.string() }),
  handler: ({ name }) => `Hello, ${name}`,
});

await serve(server);
