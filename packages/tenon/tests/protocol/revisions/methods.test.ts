import { describe, expect, test } from "vitest";
import { METHODS, RETRYABLE_METHODS } from "../../../src/protocol/revisions/methods.js";

describe("the requests", () => {
  test("of the legacy eras", () => {
    expect(METHODS.legacy.toSorted()).toEqual([
      "completion/complete",
      "initialize",
      "logging/setLevel",
      "ping",
      "prompts/get",
      "prompts/list",
      "resources/list",
      "resources/read",
      "resources/subscribe",
      "resources/templates/list",
      "resources/unsubscribe",
      "tools/call",
      "tools/list",
    ]);
  });

  test("of the stateless era", () => {
    expect(METHODS.modern.toSorted()).toEqual([
      "completion/complete",
      "prompts/get",
      "prompts/list",
      "resources/list",
      "resources/read",
      "resources/templates/list",
      "server/discover",
      "subscriptions/listen",
      "tools/call",
      "tools/list",
    ]);
  });

  test("that can request input are three, all in the stateless era", () => {
    expect(RETRYABLE_METHODS).toEqual(["tools/call", "prompts/get", "resources/read"]);
    for (const method of RETRYABLE_METHODS) expect(METHODS.modern).toContain(method);
  });
});
