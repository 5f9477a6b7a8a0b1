import { describe, expect, test } from "vitest";
import { isLogLevel, LOG_LEVELS } from "../../src/protocol/definitions.js";

describe("log levels", () => {
  test("are the eight of RFC 5424, mildest first", () => {
    expect(LOG_LEVELS).toEqual([
      "debug",
      "info",
      "notice",
      "warning",
      "error",
      "critical",
      "alert",
      "emergency",
    ]);
  });

  test.each(LOG_LEVELS)("%s is one", (level) => {
    expect(isLogLevel(level)).toBe(true);
  });

  test.each([["Debug"], ["warn"], [""], ["toString"], [0], [null], [undefined], [["info"]]])(
    "%j is none",
    (value) => {
      expect(isLogLevel(value)).toBe(false);
    },
  );
});
