import { readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { TaskEntry } from "../../src/storage/task-entry.js";
import { TaskStore } from "../../src/storage/task-store.js";
import { makeFolder, openTask, said } from "../support/storage/folders.js";

/** Any text, with characters of every UTF-8 length and every kind of line break. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("\n", "\r\n", "\u2028", "\0", "{", "é", "€", "😀", "\ud800", '"\\', "__proto__"),
);

const json = fc.jsonValue({ maxDepth: 4 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
const data = fc
  .dictionary(text, json, { maxKeys: 4 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>)
  .filter((value) => !/__proto__|constructor/.test(JSON.stringify(value)));

const call = fc.record({ id: text, name: text, arguments: text });
const model = fc.oneof(
  fc.record({ role: fc.constantFrom("system" as const, "user" as const), content: text }),
  fc.record(
    { role: fc.constant("assistant" as const), content: text, calls: fc.array(call, { maxLength: 3 }) },
    { requiredKeys: ["role", "content"] },
  ),
  fc.record(
    { role: fc.constant("tool" as const), toolName: text, content: text, callId: text },
    { requiredKeys: ["role", "toolName", "content"] },
  ),
);
const callBegan = fc.record({ toolName: text, callId: text }, { requiredKeys: ["toolName"] });
const userId = fc.constantFrom("ann", "bob@example.com", "ü €");
const approvalAsked = fc.record(
  { approvalId: text, toolName: text, callId: text, params: data },
  { requiredKeys: ["approvalId", "toolName"] },
);
const approvalGiven = fc.record(
  { approvalId: text, decision: fc.constantFrom("approve", "deny", "always"), reason: text, userId },
  { requiredKeys: ["approvalId", "decision"] },
);
const usage = fc.record(
  {
    inputTokens: fc.nat(),
    outputTokens: fc.nat(),
    reasoningTokens: fc.nat(),
    cachedInputTokens: fc.nat(),
    userId,
  },
  { requiredKeys: [] },
);
const compaction = fc.record({ summary: text, upTo: fc.nat() });
const status = fc.constantFrom("idle", "streaming", "tool_executing", "completed", "aborted", "error");

const entry: fc.Arbitrary<TaskEntry> = fc
  .record(
    {
      shown: fc.record({ type: text, data }),
      model,
      status,
      callBegan,
      approvalAsked,
      approvalGiven,
      usage,
      compaction,
    },
    { requiredKeys: [] },
  )
  .filter((value) => Object.keys(value).length > 0);

test("a log that is truncated at any byte returns exactly its complete lines and accepts more", async () => {
  const folder = makeFolder();
  const path = join(folder, "task", "log.jsonl");
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { maxLength: 12 }),
      fc.array(entry, { minLength: 1, maxLength: 4 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.string({ maxLength: 600 }),
      async (before, after, where, title) => {
        rmSync(join(folder, "task"), { recursive: true, force: true });
        const first = new TaskStore({ folder });
        const log = await first.create({ taskId: "task", title });
        const header = log.bytes;
        await Promise.all(before.map((one) => log.append(one)));
        expect(log.entries).toEqual(before);
        await first.release(log);

        const whole = readFileSync(path);
        expect(log.bytes).toBe(whole.length);
        const cut = header + Math.floor(where * (whole.length - header));
        truncateSync(path, cut);
        const left = whole.subarray(0, cut).reduce((count, byte) => count + (byte === 10 ? 1 : 0), -1);

        const second = new TaskStore({ folder });
        const reopened = await openTask(second, "task");
        expect(reopened.title).toBe(log.title);
        expect(reopened.entries).toEqual(before.slice(0, left));
        for (const one of after) await reopened.append(one);
        await second.release(reopened);

        const third = await openTask(new TaskStore({ folder }), "task");
        expect(third.entries).toEqual([...before.slice(0, left), ...after]);
        expect(third.bytes).toBe(readFileSync(path).length);
      },
    ),
    { numRuns: 150 },
  );
});

test("a log with an incomplete header is not a task, and is left unchanged", async () => {
  const folder = makeFolder();
  const store = new TaskStore({ folder });
  const log = await store.create({ taskId: "task", title: "an idea" });
  const header = log.bytes;
  await log.append(said("one"));
  await store.release(log);
  const path = join(folder, "task", "log.jsonl");
  const whole = readFileSync(path);
  for (let cut = header - 1; cut >= 0; cut--) {
    truncateSync(path, cut);
    const fresh = new TaskStore({ folder });
    expect(await fresh.open("task")).toBeUndefined();
    expect(await fresh.list(1)).toEqual([]);
    expect(readFileSync(path)).toEqual(whole.subarray(0, cut));
  }
});
