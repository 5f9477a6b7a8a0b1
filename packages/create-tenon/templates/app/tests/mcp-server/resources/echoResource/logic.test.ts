/**
 * @fileoverview Tests the echo resource's logic: results and errors.
 * @module tests/mcp-server/resources/echoResource/logic.test
 */
import { requestContextService } from "@tenon/app";
import { describe, expect, it } from "vitest";
import {
  echoResourceLogic,
  EchoResourceResponseSchema,
} from "../../../../src/mcp-server/resources/echoResource/logic.js";

const context = requestContextService.createRequestContext({ operation: "test" });

describe("the echo resource's logic", () => {
  it("decodes the message", async () => {
    const uri = new URL("echo://Gr%C3%BC%C3%9Fe");
    const response = await echoResourceLogic(uri, { message: "Gr%C3%BC%C3%9Fe" }, context);
    expect(EchoResourceResponseSchema.parse(response)).toEqual({
      message: "Grüße",
      requestUri: uri.href,
    });
  });

  it.each([{}, { message: "" }, { message: ["a"] }, { message: "a".repeat(1001) }, undefined])(
    "throws VALIDATION_ERROR for %j",
    async (params) => {
      await expect(echoResourceLogic(new URL("echo://x"), params, context)).rejects.toMatchObject({
        code: "VALIDATION_ERROR",
      });
    },
  );
});
