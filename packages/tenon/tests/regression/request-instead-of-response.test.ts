import { expect, test } from "vitest";
import { connectHostile } from "../support/client/hostile-peers.js";

test("a body of JSON with a request of the server fails the call at once, even if the IDs are equal", async () => {
  const client = await connectHostile(({ id, response }) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, method: "elicitation/create", params: {} }));
  });
  await expect(client.callTool("a")).rejects.toThrow(
    "The server's response does not contain a JSON-RPC message.",
  );
  await expect(client.listTools()).rejects.toThrow("does not contain a JSON-RPC message");
});
