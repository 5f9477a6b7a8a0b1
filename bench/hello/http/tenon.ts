/**
 * @fileoverview One tool over HTTP with Tenon's `serve`.
 * @module bench/hello/http/tenon
 */
import { z } from "zod";
import { defineServer } from "../../../packages/tenon/dist/index.js";
import { serve } from "../../../packages/tenon/dist/transport/node/index.js";

const server = defineServer({ name: "hello", version: "1.0.0" }).tool("hello", {
  input: z.object({ name: z.string() }),
  handler: ({ name }) => `Hello, ${name}`,
});

const { url } = await serve(server, { port: 0, banner: false });
process.stdout.write(`${new URL(url ?? "").port}\n`);
