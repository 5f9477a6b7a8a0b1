import { expect, test } from "vitest";
import { readEntry } from "../../src/storage/task-entry.js";
import { isTaskId } from "../../src/storage/task-id.js";

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
