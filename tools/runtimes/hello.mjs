/**
 * @fileoverview The hello-world that every runtime runs: a session of the handshake era, and stateless calls, one of
 * which asks the user in two rounds, so that Web Crypto seals and opens its state.
 * @module tools/runtimes/hello
 */
import { z } from "zod";
import { Connection, defineServer, form } from "../../dist/index.js";

// Built at import on purpose: Workers forbid randomness and timers there, so building must need neither.
const server = defineServer({ name: "hello", version: "1.0.0" })
  .tool("hello", {
    input: z.object({ name: z.string() }),
    handler: ({ name }) => `Hello, ${name}!`,
  })
  .tool("greet", {
    input: z.object({}),
    handler: async (_args, call) => {
      const who = await call.input("who", WHO);
      return who.action === "accept" ? `Hello, ${who.content.name}!` : "Hello, whoever you are!";
    },
  })
  .build();

const WHO = form({ message: "Who are you?", schema: z.object({ name: z.string() }) });

/** Runs the hello-world, and gives the reply to each request by its name. */
export async function hello() {
  const opened = await server.handle(
    request(1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    }),
    undefined,
  );
  const called = await server.handle(
    request(2, "tools/call", { name: "hello", arguments: { name: "Tenon" } }),
    undefined,
  );
  const stateless = await callStateless(3, { name: "hello", arguments: { name: "Tenon" } });
  const asked = await callStateless(4, { name: "greet", arguments: {} });
  const answered = await callStateless(5, {
    name: "greet",
    arguments: {},
    requestState: asked.intoJsonRpc().result?.requestState,
    inputResponses: { who: { action: "accept", content: { name: "Tenon" } } },
  });
  const replies = { opened, called, stateless, asked, answered };
  return Object.fromEntries(Object.entries(replies).map(([name, reply]) => [name, reply.intoJsonRpc()]));
}

/** A stateless request brings its revision and abilities along, and has its connection to itself. */
function callStateless(id, params) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  };
  const exchange = { connection: new Connection({ era: "modern" }) };
  return server.handle(request(id, "tools/call", { ...params, _meta }), undefined, exchange);
}

function request(id, method, params) {
  return { jsonrpc: "2.0", id, method, params };
}
