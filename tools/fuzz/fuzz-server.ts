/**
 * @fileoverview Server that receives the frames: it has every kind of definition, and handlers that fail in every way.
 * @module tools/fuzz/fuzz-server
 */
import { type Call, defineServer, extension, form, McpError } from "tenon";
import { z } from "zod";

/** Text of the handlers' failures. The server must never send it. */
export const SECRET = "hunter2-secret";

/**
 * Handlers of the server. `silent` leaves out those that ask the client. `immediate` also leaves out those that reply
 * later, so that replies have the order of their requests.
 */
export type Handlers = "all" | "silent" | "immediate";

/** Creates the server. */
export function createFuzzServer(handlers: Handlers = "all") {
  return defineServer({ name: "fuzzed", version: "1", pageSize: 3, log: () => {} })
    .tool("typed", {
      input: z.object({ city: z.string(), n: z.number().optional() }),
      handler: ({ city }) => city,
    })
    .tool("structured", { output: z.array(z.string()), handler: () => ["a"] })
    .tool("json", { input: z.looseObject({}), handler: (args) => JSON.stringify(args) })
    .tool("broken", { handler: fail })
    .tool("told", { handler: () => new McpError("CONFLICT", "told", { n: 1n }) as never }) // deliberately not a result
    .resource("fixed", { uri: "doc://fixed", handler: () => new Uint8Array([1, 2, 3]) })
    .resource("broken", { uri: "doc://broken", handler: fail })
    .resourceTemplate("family", {
      uriTemplate: "doc://{a}/{+b}{?c}",
      handler: ({ a, b, c }) => `${a}${b}${c}`,
    })
    .prompt("prompt", {
      arguments: z.object({ x: z.string() }),
      complete: { x: () => ["1"] },
      handler: ({ x }) => x,
    })
    .extension(
      extension({
        id: "a.b/c",
        methods: { "c/d": { eras: ["legacy", "modern"], handler: (params) => params } },
      }),
    )
    .tool("later", { handler: handlers === "immediate" ? () => "later" : async () => "later" })
    .tool("rejected", { handler: handlers === "immediate" ? fail : () => Promise.reject(new Error(SECRET)) })
    .tool("asks", { handler: handlers === "all" ? askClient : () => "asks" })
    .build();
}

async function askClient(_args: unknown, call: Call): Promise<string> {
  const schema = z.object({ name: z.string() });
  return (await call.input("name", form({ message: "?", schema }))).action;
}

function fail(): never {
  throw new Error(SECRET);
}
