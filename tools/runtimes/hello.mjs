/**
 * @fileoverview The hello-world that every runtime runs: a legacy session, and stateless calls. One call asks the user
 * in two rounds, so that Web Crypto seals and opens its state. Two calls use `toFetch`.
 * @module tools/runtimes/hello
 */
import { z } from "zod";
import { Connection } from "../../packages/tenon/dist/host/index.js";
import { defineServer, form } from "../../packages/tenon/dist/index.js";
import { toFetch } from "../../packages/tenon/dist/transport/fetch/index.js";

// Built at import on purpose: Workers forbid randomness and timers there, so building must not need them.
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
  .tool("count", {
    handler: async (_args, call) => {
      await call.progress(1, 1);
      return "counted";
    },
  })
  .build();

const fetchHandler = toFetch(server);

const WHO = form({ message: "Who are you?", schema: z.object({ name: z.string() }) });

/** Runs the hello-world, and returns the response to each request by name. */
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
  return {
    ...Object.fromEntries(Object.entries(replies).map(([name, reply]) => [name, reply.intoJsonRpc()])),
    fetched: await fetchStateless(6, "hello"),
    streamed: await fetchStateless(7, "count"),
  };
}

/** Sends a request through `toFetch`. Returns status, content type and body. */
async function fetchStateless(id, name) {
  const message = request(id, "tools/call", {
    name,
    arguments: { name: "Tenon" },
    _meta: { ...STATELESS, progressToken: id },
  });
  const response = await fetchHandler(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
      },
      body: JSON.stringify(message),
    }),
  );
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    text: await response.text(),
  };
}

const STATELESS = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

/** Sends a stateless request, which carries its revision and capabilities, on its own connection. */
function callStateless(id, params) {
  const exchange = { connection: new Connection({ era: "modern" }) };
  return server.handle(request(id, "tools/call", { ...params, _meta: STATELESS }), undefined, exchange);
}

function request(id, method, params) {
  return { jsonrpc: "2.0", id, method, params };
}
