import { afterEach, expect, test } from "vitest";
import { HOSTILE_RESULTS, HOSTILE_THROWN } from "../../../../tests/support/hostile-values.js";
import { StdioChild } from "../../../../tests/support/stdio-child.js";

const started: StdioChild[] = [];

afterEach(() => {
  const children = started.splice(0);
  for (const child of children) child.process.kill();
  expect(children.flatMap(({ problems }) => problems)).toEqual([]);
});

/** One result that could not be serialized ended the process and with it all other calls. */
test.each([
  ["2024-11-05", undefined],
  ["2025-11-25", undefined],
  ["2026-07-28", {}],
] as const)(
  "the process survives every hostile call and answers a valid one: %s",
  async (revision, capabilities) => {
    const child = new StdioChild(revision, capabilities, { fixture: "./hostile-fixture.ts" });
    started.push(child);
    if (capabilities === undefined) await child.initialize();
    const names = [...Object.keys(HOSTILE_RESULTS), ...Object.keys(HOSTILE_THROWN)];
    const ids = names.flatMap((name) =>
      [false, true].flatMap((later) => [
        child.start("tools/call", { name: "plain", arguments: { name, later } }),
        child.start("tools/call", { name: "grouped", arguments: { action: "run", case: name, later } }),
        child.start("hostile/run", { name, later }),
      ]),
    );
    const honest = await Promise.race([child.call("echo", { text: "still here" }), child.exited()]);
    expect(honest, child.errors).toMatchObject({
      result: { content: [{ type: "text", text: "still here" }] },
    });
    const replies = await Promise.all(ids.map((id) => child.replyTo(id)));
    for (const { id, result, error } of replies) {
      const isFailure = result?.["isError"] === true || error?.code === -32603;
      expect.soft(isFailure, `call ${id}: ${JSON.stringify(result ?? error)}`).toBe(true);
    }
    expect(await child.end()).toMatchObject({ code: 0, signal: null });
    // Every failure is printed for the operator. None of them was an uncaught error.
    expect(child.errors).toMatch(/^\S+Z \[tenon\] Tool "plain" /);
    expect(child.errors).not.toMatch(/Uncaught|Unhandled|^Node\.js v/m);
  },
);
