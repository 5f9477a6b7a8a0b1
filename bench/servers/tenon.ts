/**
 * @fileoverview Tenon from the build of this checkout, with the default settings of `serve`.
 * @module bench/servers/tenon
 */
import { Connection, receive, replyText } from "../../packages/tenon/dist/host/index.js";
import { defineServer, type McpResponse } from "../../packages/tenon/dist/index.js";
import type { JsonRpcRequest } from "../../packages/tenon/dist/protocol/index.js";
import { serve } from "../../packages/tenon/dist/transport/node/index.js";
import { INITIALIZE } from "../lib/cases.js";
import type { Adapter, RawMessage, Setup, TextServer } from "./contract.js";
import { benchTools, INFO } from "./tools.js";

/** Creates the server. It is not built yet. */
export function tenonServer({ tools }: Pick<Setup, "tools">) {
  const builder = defineServer(INFO);
  for (const { name, description, input, run } of benchTools(tools)) {
    builder.tool(name, { description, input, handler: (args) => run(args) });
  }
  return builder;
}

/** Returns the option that selects the mode. */
export function legacyOption({ mode }: Setup): { readonly legacy: "stateful" | "stateless" } {
  return { legacy: mode === "stateless" ? "stateless" : "stateful" };
}

/** Adapter of Tenon. */
export const adapter: Adapter = {
  async http(setup) {
    const running = await serve(tenonServer(setup), {
      transport: { type: "http", port: 0 },
      ...legacyOption(setup),
    });
    if (running.httpServer !== undefined) running.httpServer.keepAliveTimeout = 600_000;
    return Number(new URL(running.url ?? "").port);
  },
  async stdio(setup) {
    await serve(tenonServer(setup));
  },
  inProcess: (setup) => answererOf(tenonServer(setup).build(), setup),
  async objects(setup) {
    const server = tenonServer(setup).build();
    const connection = new Connection({ era: setup.mode === "modern" ? "modern" : "legacy" });
    const exchange = { connection };
    // Safe: the messages of the benchmark are valid requests.
    const serveObject = (message: RawMessage) => {
      const reply = server.handle(message as JsonRpcRequest, undefined, exchange);
      return reply instanceof Promise ? reply.then(resultOf) : resultOf(reply);
    };
    if (setup.mode !== "modern") await serveObject(JSON.parse(INITIALIZE) as RawMessage);
    return serveObject;
  },
};

function resultOf(response: McpResponse): unknown {
  return (response.toJSON() as { readonly result?: unknown } | undefined)?.result; // Safe: a JSON-RPC response
}

/** Converts a server to a function from text to text. */
export function answererOf(server: Parameters<typeof receive>[0], { mode }: Setup): TextServer {
  const connection = new Connection({ era: mode === "modern" ? "modern" : "legacy" });
  const delivery = { context: undefined, exchange: { connection } };
  return (text) => {
    const reply = receive(server, text, delivery);
    return reply instanceof Promise ? reply.then(replyText) : replyText(reply);
  };
}
