import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { createDecideAccess } from "../../src/users/access.js";
import type { AccessRule, AgentUser } from "../../src/users/user.js";

const TASK = { taskId: "t", owner: "ada" };

/** Creates a decision with a rule, and collects its log. */
function decide(access?: AccessRule, now?: () => number) {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const logger = { debug: log, info: log, warn: log, error: log };
  return { lines, decideAccess: createDecideAccess({ access, logger, ...(now && { now }) }) };
}

describe("access to a task", () => {
  test.each<[AgentUser | undefined, string | undefined, string | undefined]>([
    [{ id: "ada" }, "ada", "write"],
    [{ id: "ada", canWrite: true }, "ada", "write"],
    [{ id: "ada", canWrite: false }, "ada", "watch"],
    [{ id: "bob" }, "ada", undefined],
    [{ id: "Ada" }, "ada", undefined],
    [{ id: "ada " }, "ada", undefined],
    [{ id: "ada" }, undefined, undefined],
    [{ id: "undefined" }, undefined, undefined],
    [undefined, "ada", "write"],
    [undefined, undefined, "write"],
  ])("by default, user %j has this access to a task of %j: %j", (user, owner, expected) => {
    expect(createDecideAccess()(user, { taskId: "t", owner })).toBe(expected);
  });

  test("a rule replaces the default, and receives the user and the task", () => {
    const calls: unknown[] = [];
    const { decideAccess, lines } = decide((user, task) => {
      calls.push([user, task]);
      return user.id === "auditor" ? "watch" : undefined;
    });
    expect(decideAccess({ id: "auditor" }, TASK)).toBe("watch");
    expect(decideAccess({ id: "ada" }, TASK)).toBeUndefined();
    expect(calls).toEqual([
      [{ id: "auditor" }, TASK],
      [{ id: "ada" }, TASK],
    ]);
    expect(lines).toEqual([]);
  });

  test("a rule cannot let a user write who can only watch", () => {
    const { decideAccess } = decide(() => "write");
    expect(decideAccess({ id: "bob", canWrite: false }, TASK)).toBe("watch");
    expect(decideAccess({ id: "bob" }, TASK)).toBe("write");
  });

  test.each<[string, AccessRule, RegExp]>([
    [
      "throws",
      () => {
        throw new Error("no database");
      },
      /denied: Error: no database/,
    ],
    ["returns true", (() => true) as unknown as AccessRule, /"write", "watch", or undefined; got true\.$/],
    ["returns another string", (() => "admin") as unknown as AccessRule, /got "admin"\.$/],
    ["is asynchronous", (async () => "write") as unknown as AccessRule, /got a promise\.$/],
    [
      "is asynchronous and fails",
      (async () => {
        throw new Error("late");
      }) as unknown as AccessRule,
      /got a promise\.$/,
    ],
  ])("a rule that %s grants nothing and is logged", (_name, rule, line) => {
    const { decideAccess, lines } = decide(rule);
    expect(decideAccess({ id: "ada" }, TASK)).toBeUndefined();
    expect(lines).toEqual([expect.stringMatching(line)]);
  });

  test("a rule that fails for every task of a list is logged once per second", () => {
    let time = 0;
    const { decideAccess, lines } = decide(
      () => {
        throw new Error("no database");
      },
      () => time,
    );
    for (let count = 0; count < 100; count++) decideAccess({ id: "ada" }, TASK);
    expect(lines).toHaveLength(1);
    time = 1_000;
    decideAccess({ id: "ada" }, TASK);
    expect(lines).toHaveLength(2);
  });
});

describe("the rule in the documentation", () => {
  const page = readFileSync(new URL("../../../../docs/agent-users.md", import.meta.url), "utf8");
  const [shared = ""] = /^const sharedTasks = .*$/m.exec(page) ?? [];
  const [method = ""] = /^ {4}access\(.*?^ {4}\}/ms.exec(page) ?? [];
  const rule = runInNewContext(`${shared}; ({ ${method} }).access`) as AccessRule;

  test.each([
    ["ada", "team-plan", "ada", "write"],
    ["bob", "team-plan", "ada", "watch"],
    ["eve", "team-plan", "ada", undefined],
    ["bob", "other", "ada", undefined],
    // Eve has started a task with the ID of the shared one.
    ["bob", "team-plan", "eve", undefined],
    ["ada", "team-plan", "eve", undefined],
    ["bob", "team-plan", undefined, undefined],
  ])("gives %s this access to %s of %s: %s", (id, taskId, owner, expected) => {
    expect(rule({ id }, { taskId, owner })).toBe(expected);
  });
});
