/**
 * @fileoverview Tests the echo tool end to end, with official clients on a real port.
 * @module tests/mcp-server/tools/echoTool/integration.test
 */
import { describe, expect, it } from "vitest";
import { zocker } from "zocker";
import {
  EchoToolInputSchema,
  EchoToolResponseSchema,
} from "../../../../src/mcp-server/tools/echoTool/logic.js";
import { OFFICIAL_CLIENTS } from "../../../support/officialClients.js";
import { serveForTest } from "../../../support/serving.js";

describe.each(OFFICIAL_CLIENTS)("echo_message, called by the official client %s", (_, connect) => {
  it("returns structured content and text", async () => {
    const client = await connect((await serveForTest()).url);
    const result = await client.callTool({
      name: "echo_message",
      arguments: { message: "Hi", mode: "uppercase", repeat: 3, includeTimestamp: false },
    });
    const expected = {
      originalMessage: "Hi",
      formattedMessage: "HI",
      repeatedMessage: "HI HI HI",
      mode: "uppercase",
      repeatCount: 3,
    };
    expect(result.structuredContent).toEqual(expected);
    expect(result.content).toEqual([
      { type: "text", text: `Success: ${JSON.stringify(expected, null, 2)}` },
    ]);
  });

  it("returns an error that the model can read", async () => {
    const client = await connect((await serveForTest()).url);
    await client.listTools(); // after this, the client validates results
    const result = await client.callTool({ name: "echo_message", arguments: { message: "fail" } });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: "Error: Deliberate failure triggered: the message was 'fail'." }],
    });
  });

  it("rejects invalid input before the logic runs", async () => {
    const client = await connect((await serveForTest()).url);
    const result = await client.callTool({ name: "echo_message", arguments: { message: "" } });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain("Message cannot be empty.");
  });

  it(
    "handles a hundred calls with generated input within twenty seconds",
    { timeout: 20_000 },
    async () => {
      const client = await connect((await serveForTest()).url);
      const inputs = Array.from({ length: 100 }, (_, seed) =>
        zocker(EchoToolInputSchema)
          .setSeed(seed + 1)
          .generate(),
      );
      for (const input of inputs) {
        const result = await client.callTool({ name: "echo_message", arguments: input });
        const { originalMessage } = EchoToolResponseSchema.parse(result.structuredContent);
        expect(originalMessage).toBe(input.message);
      }
    },
  );
});
