/**
 * @fileoverview Prints the office server's tool list in both modes, then serves it in grouped mode, or flat with
 * `--flat`.
 * @module examples/grouped/main
 */
import { serve } from "tenon/node";
import { createClient } from "tenon/testing";
import { type App, createApp } from "./app.js";
import { createOffice } from "./server.js";
import { createUsersTool } from "./users.js";

const app: App = createApp({ name: "Ada", role: "manager" });

console.log(`A grouped tool as the model sees it:\n\n${createUsersTool().previewPrompt()}\n`);

for (const expose of ["grouped", "flat"] as const) {
  const client = await createClient(createOffice(expose), { context: app });
  const tools = await client.listTools();
  await client.close();
  const names = tools.map(({ name }) => name).join(", ");
  console.log(`${expose}: ${tools.length} tools, ${JSON.stringify(tools).length} characters (${names})`);
}

const expose = process.argv.includes("--flat") ? "flat" : "grouped";
const running = await serve(createOffice(expose), {
  transport: { type: "http", port: Number(process.env["PORT"] ?? 0) },
  context: app,
});
const [name, args] = expose === "flat" ? ["users_list", {}] : ["users", { action: "list" }];
const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const params = { name, arguments: args, _meta };
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });

console.log(`
Tenon's office server is ready (${expose}).

  endpoint   ${running.url}

Try it:
  curl -s ${running.url} -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' \\
    -H 'mcp-protocol-version: 2026-07-28' -H 'mcp-method: tools/call' -H 'mcp-name: ${name}' \\
    -d '${body}'

Press Ctrl+C to stop.`);
await running.closed;
console.log("Stopped.");
