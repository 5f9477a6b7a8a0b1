import { expect, test } from "vitest";
import { TaskFacts } from "../../src/conversation/context/task-facts.js";
import type { TaskEntry } from "../../src/storage/task-entry.js";

const asked = (approvalId: string, toolName = "write"): TaskEntry => ({
  approvalAsked: { approvalId, toolName },
});

test("the log of an earlier version has no facts", () => {
  const facts = new TaskFacts([{ model: { role: "user", content: "Go" }, status: "idle" }]);
  expect([facts.approvals, facts.openApprovals]).toEqual([[], []]);
  expect([facts.usage, facts.contextTokens]).toEqual([{}, undefined]);
});

test("an approval is open until the first decision, and later decisions are ignored", () => {
  const facts = new TaskFacts([
    asked("a"),
    asked("b"),
    asked("c", "send"),
    { approvalGiven: { approvalId: "a", decision: "deny", reason: "no", userId: "ann" } },
    { approvalGiven: { approvalId: "a", decision: "always", userId: "bob" } },
    { approvalGiven: { approvalId: "c", decision: "always" } },
    { approvalGiven: { approvalId: "never-asked", decision: "always" } },
  ]);
  expect(facts.openApprovals).toEqual([{ approvalId: "b", toolName: "write" }]);
  expect(["a", "b", "c"].map((id) => facts.decisionOn(id)?.decision)).toEqual(["deny", undefined, "always"]);
  expect(["write", "send"].map((tool) => facts.isAlwaysApproved(tool, undefined))).toEqual([false, true]);
});

test("`always` approves calls in runs of the user whose call was approved, whoever decided", () => {
  const facts = new TaskFacts([
    { approvalAsked: { approvalId: "a", toolName: "write", userId: "ada" } },
    { approvalGiven: { approvalId: "a", decision: "always", userId: "bob" } },
  ]);
  const users = ["ada", "bob", undefined];
  expect(users.map((user) => facts.isAlwaysApproved("write", user))).toEqual([true, false, false]);
});

test("tokens are added up, and the last response tells the length of the conversation", () => {
  const facts = new TaskFacts([
    { usage: { inputTokens: 10, outputTokens: 2, userId: "ann" } },
    { usage: { inputTokens: 5, reasoningTokens: 1, userId: "bob" } },
    { usage: { outputTokens: 3, userId: "ann" } },
    { usage: { inputTokens: 1 } },
  ]);
  expect(facts.usage).toEqual({ inputTokens: 16, outputTokens: 5, reasoningTokens: 1 });
  expect(facts.contextTokens).toBe(1);
});

test("approvals belong to the calls of one response", () => {
  const facts = new TaskFacts([asked("a"), { model: { role: "tool", toolName: "write", content: "ok" } }]);
  expect(facts.openApprovals).toHaveLength(1);
  facts.add({ model: { role: "user", content: "Something else" } });
  expect([facts.approvals, facts.openApprovals]).toEqual([[], []]);
});

test("a cancelled approval is no longer open", () => {
  const facts = new TaskFacts([asked("a"), { approvalCancelled: { approvalId: "a" } }]);
  expect(facts.openApprovals).toEqual([]);
});

test("after a compaction, the length of the conversation is not known", () => {
  const facts = new TaskFacts([{ usage: { inputTokens: 10, outputTokens: 2 } }]);
  expect(facts.contextTokens).toBe(12);
  facts.add({ compaction: { summary: "S", upTo: 1 }, usage: { inputTokens: 9 } });
  expect([facts.contextTokens, facts.usage]).toEqual([undefined, { inputTokens: 19, outputTokens: 2 }]);
});
