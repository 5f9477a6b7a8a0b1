import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "tenon/testing";
import server from "../src/server.js";

test("the server offers a tool, a resource, and a prompt", async () => {
  const client = await createClient(server);
  const { structuredContent } = await client.callTool("forecast", { city: "Riga" });
  assert.deepEqual(structuredContent, { celsius: 19 });

  const { contents } = await client.readResource("weather://cities");
  const text = '["Riga","Rome","Rio"]';
  assert.deepEqual(contents, [{ uri: "weather://cities", mimeType: "application/json", text }]);

  const { messages } = await client.getPrompt("pack", { city: "Riga" });
  const content = { type: "text", text: "What should I pack for a trip to Riga?" };
  assert.deepEqual(messages, [{ role: "user", content }]);
  await client.close();
});
