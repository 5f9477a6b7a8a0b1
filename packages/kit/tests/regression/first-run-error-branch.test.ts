import { describe, expect, test } from "vitest";
import { toErrorBranch } from "../../src/index.js";

/** `toErrorBranch` dropped every member of the custom handler's branch except `error`, `code`, and `help`. */

describe("first-run-d4: toErrorBranch with a custom handler", () => {
  test("keeps all members of the branch", () => {
    const branch = toErrorBranch(new Error("slow down"), (error) => ({
      type: "error",
      error: error.message,
      code: "RATE_LIMITED",
      retryAfter: 30,
      details: { limit: 5 },
    }));
    expect(branch).toEqual({
      type: "error",
      error: "slow down",
      code: "RATE_LIMITED",
      retryAfter: 30,
      details: { limit: 5 },
    });
  });

  test("omits undefined members, and still limits the texts", () => {
    const branch = toErrorBranch("x", () => ({
      type: "error",
      error: `password=hunter22 ${"y".repeat(5000)}`,
      help: "\u0000Wait",
      retryAfter: undefined,
    }));
    expect(Object.keys(branch)).toEqual(["type", "error", "help"]);
    expect(branch.error).not.toContain("hunter22");
    expect(branch.error.length).toBeLessThan(1_100);
    expect(branch.help).toBe("Wait");
  });

  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["text", "no"],
    ["a branch without an error", { type: "error" }],
    ["a different branch", { type: "success", error: "x" }],
  ])("returns the default branch if the handler returns %s", (_, returned) => {
    expect(toErrorBranch(new Error("first"), () => returned as never)).toEqual({
      type: "error",
      error: "first",
    });
  });
});
