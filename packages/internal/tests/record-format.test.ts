import { checkRecord, toRecordText } from "@tenon/internal/records/record-format";
import { describe, expect, test } from "vitest";

describe("the format of a record", () => {
  test("is absent in format 1, so that records stay as they were before formats had numbers", () => {
    expect(toRecordText("task", { taskId: "a" })).toBe('{"taskId":"a"}');
  });

  test.each([
    ['{"taskId":"a"}', { taskId: "a" }],
    ['{"taskId":"a","format":1}', { taskId: "a", format: 1 }],
  ])("of %s can be read", (text, record) => {
    expect(checkRecord("task", text)).toEqual({ kind: "read", record });
  });

  test.each([2, 1.5, "1", null])("%j is newer", (format) => {
    const record = { stream: "a", format };
    expect(checkRecord("session", JSON.stringify(record))).toEqual({
      kind: "newer",
      record,
      problem:
        `A record (session) has format ${String(format)}, but this version of Tenon reads only up to format 1. ` +
        "It is left to nodes with the version that wrote it.",
    });
  });

  test.each([undefined, "", "[]", "1", "{"])("does not exist in the text %o", (text) => {
    expect(checkRecord("session", text)).toEqual({ kind: "invalid" });
  });
});
