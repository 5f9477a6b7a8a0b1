import { expect, test } from "vitest";
import { call, INITIALIZE, openStreams } from "../../../../tests/support/stdio-streams.js";
import { McpServer } from "../../src/v1/mcp-server.js";

test("a request to the client that is too large for a stdio connection fails, and does not keep waiting", async () => {
  const server = new McpServer({ name: "large", version: "1.0.0" });
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: "x".repeat(10_000) } }];
  server.registerTool("ask", {}, async () => {
    const { role } = await server.server.createMessage({ messages, maxTokens: 1 });
    return { content: [{ type: "text", text: role }] };
  });
  server.registerTool("small", {}, () => ({ content: [{ type: "text", text: "small" }] }));
  const { input, output, transport } = openStreams(server.build(), { maxQueueBytes: 5_000 });
  input.write(`${INITIALIZE}${call(1, "ask")}`);
  await expect.poll(() => output.messages.length, { timeout: 30_000 }).toBe(2);
  expect(JSON.stringify(output.messages[1])).toContain(
    "The request to the client is too large for this connection (limit: 5000 bytes).",
  );
  expect(transport.connection.pendingQuestions).toEqual([]);
  input.end(call(2, "small"));
  await transport.closed;
  expect(output.messages[2]).toMatchObject({ id: 2, result: { content: [{ text: "small" }] } });
});
