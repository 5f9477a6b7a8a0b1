/**
 * @fileoverview The logic of the echo tool: what it gives, and what it throws.
 * @module tests/mcp-server/tools/echoTool/logic.test
 */
import { requestContextService } from "@tenon/app";
import { describe, expect, it } from "vitest";
import { zocker } from "zocker";
import {
  EchoToolInputSchema,
  echoToolLogic,
  EchoToolResponseSchema,
} from "../../../../src/mcp-server/tools/echoTool/logic.js";
import { logged } from "../../../support/log.js";

const context = requestContextService.createRequestContext({ operation: "test" });

describe("the echo logic", () => {
  it.each([
    ["standard", "Hello World"],
    ["uppercase", "HELLO WORLD"],
    ["lowercase", "hello world"],
  ] as const)("formats in mode %s", async (mode, formattedMessage) => {
    const input = { message: "Hello World", mode, repeat: 2, includeTimestamp: false };
    expect(await echoToolLogic(input, context)).toEqual({
      originalMessage: "Hello World",
      formattedMessage,
      repeatedMessage: `${formattedMessage} ${formattedMessage}`,
      mode,
      repeatCount: 2,
    });
  });

  it("tells the time where it is asked to", async () => {
    const { timestamp = "" } = await echoToolLogic(
      EchoToolInputSchema.parse({ message: "hi" }),
      context,
    );
    expect(Math.abs(Date.now() - Date.parse(timestamp))).toBeLessThan(60_000);
  });

  it("throws a structured error", async () => {
    const input = EchoToolInputSchema.parse({ message: "fail" });
    await expect(echoToolLogic(input, context)).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      message: "Deliberate failure triggered: the message was 'fail'.",
      details: { toolName: "echo_message" },
    });
  });

  it("gives what its schema says, for any input that its schema allows", async () => {
    for (let seed = 1; seed <= 50; seed++) {
      const input = EchoToolInputSchema.parse(zocker(EchoToolInputSchema).setSeed(seed).generate());
      const response = EchoToolResponseSchema.parse(await echoToolLogic(input, context));
      expect(response.repeatCount).toBe(input.repeat);
    }
  });

  it("logs under the context that it was given", async () => {
    await echoToolLogic(EchoToolInputSchema.parse({ message: "hi" }), context);
    expect(logged.map(({ message }) => message)).toEqual([
      "Processing echo message logic.",
      "Echo message processed successfully.",
    ]);
    for (const record of logged)
      expect(record.context).toMatchObject({ requestId: context.requestId });
  });
});
