import { expect, test } from "vitest";
import { toEntryLine } from "../../src/storage/log-lines.js";
import { readEntry, type TaskEntry } from "../../src/storage/task-entry.js";
import { isTaskId } from "../../src/storage/task-id.js";

const image = { type: "image", mediaType: "image/png", data: "AA==" };
const call = { id: "1", name: "search", arguments: "{}" };

test.each([
  [{ status: "idle" }],
  [{ shown: { type: "message", data: {} } }],
  [{ model: { role: "system", content: "s" } }],
  [{ model: { role: "user", content: "u" } }],
  [{ model: { role: "assistant", content: "a" } }],
  [{ model: { role: "assistant", content: "", calls: [call, call] } }],
  [{ model: { role: "tool", toolName: "search", content: "r" } }],
  [{ model: { role: "tool", toolName: "search", content: "r", callId: "1" } }],
  [{ shown: { type: "tool", data: { a: [1] } }, model: { role: "user", content: "" }, status: "completed" }],
  [
    {
      model: {
        role: "user",
        content: "u",
        parts: [{ type: "text", text: "t" }, image, { ...image, name: "a" }],
      },
    },
  ],
  [
    {
      model: { role: "tool", toolName: "t", content: "r", callId: "1", parts: [{ ...image, type: "file" }] },
    },
  ],
  [{ status: "waiting" }],
  [{ model: { role: "assistant", content: "", calls: [call], metadata: { a: { b: ["c"] } } } }],
  [{ model: { role: "assistant", content: "a", metadata: {} } }],
  [{ callBegan: { toolName: "search" } }],
  [{ callBegan: { toolName: "search", callId: "1" }, status: "tool_executing" }],
  [{ approvalAsked: { approvalId: "a", toolName: "search" } }],
  [{ approvalAsked: { approvalId: "a", toolName: "search", callId: "1", params: { query: "x" } } }],
  [{ approvalAsked: { approvalId: "a", toolName: "search", shownTime: 7 } }],
  [{ approvalCancelled: { approvalId: "a" } }],
  [{ approvalGiven: { approvalId: "a", decision: "approve" } }],
  [{ approvalGiven: { approvalId: "a", decision: "deny", reason: "no", userId: "ann" } }],
  [{ approvalGiven: { approvalId: "a", decision: "always", userId: "ann" } }],
  [{ usage: {} }],
  [{ usage: { inputTokens: 1, outputTokens: 2, reasoningTokens: 0, cachedInputTokens: 4, userId: "ann" } }],
  [{ compaction: { summary: "s", upTo: 0 } }],
  [{ storedResult: { resultId: "01234567-89ab-cdef-0123-456789abcdef", bytes: 9 } }],
])("reads the entry %j", (entry) => {
  expect(readEntry(entry)).toEqual(entry);
});

test("drops fields of a later version and reads the rest", () => {
  expect(
    readEntry({
      at: 1,
      shown: { type: "message", data: { message: "x", mood: "good" }, color: "red" },
      model: { role: "assistant", content: "c", calls: [{ ...call, type: "function" }], tokens: 3 },
      status: "error",
    }),
  ).toEqual({
    shown: { type: "message", data: { message: "x", mood: "good" } },
    model: { role: "assistant", content: "c", calls: [call] },
    status: "error",
  });
});

test.each([
  [undefined],
  [null],
  ["text"],
  [[]],
  [{}],
  [{ later: true }],
  [{ status: "asleep" }],
  [{ status: null }],
  [{ shown: null, status: "idle" }],
  [{ shown: { type: "message" } }],
  [{ shown: { type: 1, data: {} } }],
  [{ shown: { type: "message", data: [] } }],
  [{ model: [] }],
  [{ model: { role: "user" } }],
  [{ model: { role: "god", content: "" } }],
  [{ model: { role: "tool", content: "" } }],
  [{ model: { role: "tool", toolName: "t", content: "", callId: 1 } }],
  [{ model: { role: "assistant", content: "", calls: {} } }],
  [{ model: { role: "assistant", content: "", calls: [call, null] } }],
  [{ model: { role: "assistant", content: "", calls: [{ id: "1", name: "x", arguments: {} }] } }],
  [{ model: { role: "user", content: "", parts: {} } }],
  [{ model: { role: "user", content: "", parts: [{ type: "sound", mediaType: "a/b", data: "" }] } }],
  [{ model: { role: "user", content: "", parts: [{ ...image, data: 1 }] } }],
  [{ model: { role: "user", content: "", parts: [{ ...image, name: 1 }] } }],
  [{ model: { role: "tool", toolName: "t", content: "", parts: [{ type: "text" }] } }],
  [{ callBegan: true }],
  [{ callBegan: {} }],
  [{ callBegan: { toolName: "t", callId: 1 } }],
  [{ model: { role: "assistant", content: "", metadata: "text" } }],
  [{ approvalAsked: { approvalId: "a", toolName: "t", shownTime: -1 } }],
  [{ approvalCancelled: {} }],
  [{ approvalAsked: { toolName: "t" } }],
  [{ approvalAsked: { approvalId: "a" } }],
  [{ approvalAsked: { approvalId: "a", toolName: "t", params: [] } }],
  [{ approvalGiven: { approvalId: "a", decision: "maybe" } }],
  [{ approvalGiven: { decision: "approve" } }],
  [{ approvalGiven: { approvalId: "a", decision: "deny", reason: 1 } }],
  [{ approvalGiven: { approvalId: "a", decision: "approve", userId: "" } }],
  [{ usage: { inputTokens: -1 } }],
  [{ usage: { outputTokens: 1.5 } }],
  [{ usage: { outputTokens: "1" } }],
  [{ usage: { userId: "a\nb" } }],
  [{ compaction: { summary: "s" } }],
  [{ compaction: { summary: 1, upTo: 1 } }],
  [{ compaction: { summary: "s", upTo: -1 } }],
  [{ storedResult: { resultId: "../log", bytes: 1 } }],
  [{ storedResult: { resultId: "01234567-89ab-cdef-0123-456789abcdef" } }],
  [{ callBegan: null, status: "idle" }],
])("rejects the value %j", (value) => {
  expect(readEntry(value)).toBeUndefined();
});

test.each(["a", "0", "A-b_c", "com", "com10", "lpt", "console", "nul-1", "x".repeat(128)])(
  "accepts the task ID '%s'",
  (text) => expect(isTaskId(text)).toBe(true),
);

test.each([[undefined], [null], [1], [["a"]], [{ toString: () => "a" }]])("rejects the task ID %j", (value) =>
  expect(isTaskId(value)).toBe(false),
);

test("metadata that is too long is neither read nor stored, and the response is kept", () => {
  const long = { signature: "x".repeat(262_144) };
  const entry: TaskEntry = {
    model: { role: "assistant", content: "", calls: [call], metadata: long },
  };
  const kept = { model: { role: "assistant", content: "", calls: [call] } };
  expect(readEntry(entry)).toEqual(kept);
  const line = toEntryLine(entry);
  expect(line.entry).toEqual(kept);
  expect(line.bytes.length).toBeLessThan(200);
});
