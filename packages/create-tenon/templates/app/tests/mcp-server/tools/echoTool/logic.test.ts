/**
 * @fileoverview Tests the echo tool's logic: results and errors.
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

  it("includes a timestamp on request", async () => {
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

  it("returns valid output for any valid input", async () => {
    for (let seed = 1; seed <= 50; seed++) {
      const input = EchoToolInputSchema.parse(zocker(EchoToolInputSchema).setSeed(seed).generate());
      const response = EchoToolResponseSchema.parse(await echoToolLogic(input, context));
      expect(response.repeatCount).toBe(input.repeat);
    }
  });

  it("logs with the given context", async () => {
    await echoToolLogic(EchoToolInputSchema.parse({ message: "hi" }), context);
    expect(logged.map(({ message }) => message)).toEqual([
      "Processing echo message logic.",
      "Echo message processed successfully.",
    ]);
    for (const record of logged)
      expect(record.context).toMatchObject({ requestId: context.requestId });
  });
});
