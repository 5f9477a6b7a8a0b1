import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "tenon/testing";
import server from "../src/server.js";
import worker from "../src/worker.js";

test("the server forecasts the temperature", async () => {
  const client = await createClient(server);
  const { structuredContent } = await client.callTool("forecast", { city: "Riga" });
  assert.deepEqual(structuredContent, { celsius: 19 });
  await client.close();
});

/** Sends the HTTP requests of a client to the Worker, without a port. */
const fetch: typeof globalThis.fetch = (input, init) => worker.fetch(new Request(input, init));

test("the Worker serves clients over HTTP", async () => {
  const client = await createClient("http://localhost/mcp", { fetch });
  const { structuredContent } = await client.callTool("forecast", { city: "Riga" });
  assert.deepEqual(structuredContent, { celsius: 19 });
  await client.close();
});

test("the Worker rejects requests to other host names", async () => {
  const response = await fetch("http://evil.example/mcp", { method: "POST" });
  assert.equal(response.status, 403);
});
