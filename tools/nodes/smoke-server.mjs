/**
 * @fileoverview Server of the smoke test. Run directly, it serves on stdio.
 * @module tools/nodes/smoke-server
 */
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { defineServer } from "../../packages/tenon/dist/index.js";
import { serve } from "../../packages/tenon/dist/transport/node/index.js";

/** A server with a greeting tool. */
export const server = defineServer({ name: "smoke", version: "1.0.0" })
  .tool("hello", {
    input: z.object({ name: z.string() }),
    output: z.object({ greeting: z.string() }),
    handler: ({ name }) => ({ greeting: `Hello, ${name}!` }),
  })
  .build();

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await serve(server);
