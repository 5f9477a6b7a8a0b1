/**
 * @fileoverview Stdio server that responds with the definitions in a JSON file, without any SDK, so that it can also send
 * what no SDK allows.
 * @module tests/cli/doctor/servers/capture-server
 */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const {
  server,
  capabilities,
  instructions,
  lists = {},
  errors = {},
  cursor,
  calls = {},
} = JSON.parse(readFileSync(process.argv[2], "utf8"));

const LISTS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
};

function respond(method, params) {
  if (errors[method] !== undefined) return { error: errors[method] };
  if (method === "initialize") {
    const { protocolVersion } = params;
    return { result: { protocolVersion, capabilities, serverInfo: server, instructions } };
  }
  const list = LISTS[method];
  if (list !== undefined) {
    return { result: { [list]: lists[list] ?? [], ...(cursor === undefined ? {} : { nextCursor: cursor }) } };
  }
  if (method === "tools/call" && calls[params.name] !== undefined) return { result: calls[params.name] };
  return { error: { code: -32601, message: "Method not found" } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...respond(method, params) })}\n`);
}
