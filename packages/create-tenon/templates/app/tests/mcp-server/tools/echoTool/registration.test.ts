/**
 * @fileoverview Tests the echo tool's registration on a real server: metadata and failures.
 * @module tests/mcp-server/tools/echoTool/registration.test
 */
import { createClient } from "tenon/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { registerEchoTool } from "../../../../src/mcp-server/tools/echoTool/index.js";
import { logged } from "../../../support/log.js";
import { createTestServer } from "../../../support/serving.js";

describe("the echo tool's registration", () => {
  let server: ReturnType<typeof createTestServer>;

  beforeEach(async () => {
    server = createTestServer();
    await registerEchoTool(server);
  });

  it("publishes the title, description, and schemas without running the handler", async () => {
    expect(logged.map(({ message }) => message)).toEqual([
      "Registering tool: 'echo_message'",
      "Tool 'echo_message' registered successfully.",
    ]);
    const client = await createClient(server.build());
    const [tool] = await client.listTools();
    expect(tool).toMatchObject({
      name: "echo_message",
      title: "Echo Message",
      description: "Echoes a message back with optional formatting and repetition.",
      annotations: { readOnlyHint: true, openWorldHint: false },
      inputSchema: { required: ["message"] },
    });
  });

  it("throws if the name is already registered", async () => {
    await expect(registerEchoTool(server)).rejects.toMatchObject({ code: "INITIALIZATION_FAILED" });
    expect(logged.at(-1)).toMatchObject({ level: "crit", context: { operation: "RegisterTool" } });
  });

  it("catches an error from the logic and logs it once, with its context", async () => {
    const client = await createClient(server.build());
    const result = await client.callTool("echo_message", { message: "fail" });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: "Error: Deliberate failure triggered: the message was 'fail'." }],
    });
    const errors = logged.filter(({ level }) => level === "error");
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      context: { operation: "HandleToolRequest", toolName: "echo_message" },
      data: { errorCode: "VALIDATION_ERROR" },
    });
  });
});
