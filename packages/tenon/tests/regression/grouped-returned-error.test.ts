import { expect, test } from "vitest";
import { defineServer } from "../../src/core/define-server.js";
import { createTool } from "../../src/grouped/index.js";
import { McpError } from "../../src/protocol/index.js";
import { replyTo, toolCall } from "../../../../tests/support/requests.js";

/** An error that was returned synchronously was wrapped twice, so its message was lost. */
test.each([
  ["synchronously", () => new McpError("NOT_FOUND", "No such user")],
  ["asynchronously", async () => new McpError("NOT_FOUND", "No such user")],
])("an action that returns an McpError %s sends its message", async (_, handler) => {
  const server = defineServer({ name: "a", version: "1" })
    .tools(createTool("users").action({ name: "get", handler }))
    .build();
  expect(await replyTo(server, toolCall("users", { action: "get" }))).toMatchObject({
    result: { isError: true, content: [{ type: "text", text: "[users/get] No such user" }] },
  });
});
