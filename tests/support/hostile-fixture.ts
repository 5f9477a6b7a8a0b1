/**
 * @fileoverview A stdio server whose tools return and throw hostile values. Callers select a value by its name in the
 * tables.
 * @module tests/support/hostile-fixture
 */
import { z } from "zod";
import { createTool } from "tenon/grouped";
import { defineServer, extension } from "tenon";
import { serveStdio } from "../../packages/tenon/src/transport/stdio/serve-stdio.js";
import { HOSTILE_RESULTS, HOSTILE_THROWN } from "./hostile-values.js";

const CASE = z.object({ name: z.string(), later: z.boolean().default(false) });
const FINE = { content: [{ type: "text", text: "fine" }] };

/** Returns a hostile value, directly or as a promise. */
function give({ name, later }: z.infer<typeof CASE>, base: object): object {
  const run = () => {
    if (name in HOSTILE_THROWN) throw HOSTILE_THROWN[name]?.();
    return HOSTILE_RESULTS[name]?.(base) as object; // may have any type, and the server must handle it
  };
  return later ? Promise.resolve().then(run) : run();
}

const server = defineServer({ name: "hostile", version: "1.0.0" })
  .tool("plain", { input: CASE, handler: (args) => give(args, FINE) })
  .tools(
    createTool("grouped").action({
      name: "run",
      schema: CASE.omit({ name: true }).extend({ case: z.string() }),
      handler: (_ctx, args) => give({ ...args, name: args.case }, FINE),
    }),
  )
  .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
  .extension(
    extension({
      id: "a.example/hostile",
      methods: {
        "hostile/run": {
          eras: ["legacy", "modern"],
          handler: (params) => give(CASE.parse(params), { a: 1 }) as { readonly a: number },
        },
      },
    }),
  )
  .build();

await serveStdio(server).closed;
