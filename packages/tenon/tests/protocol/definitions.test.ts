import { describe, expect, test } from "vitest";
import { isLogLevel, LOG_LEVELS } from "../../src/protocol/definitions.js";

describe("log levels", () => {
  test("are the eight levels of RFC 5424, least severe first", () => {
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

  test.each(LOG_LEVELS)("%s is a log level", (level) => {
    expect(isLogLevel(level)).toBe(true);
  });

  test.each([["Debug"], ["warn"], [""], ["toString"], [0], [null], [undefined], [["info"]]])(
    "%j is not a log level",
    (value) => {
      expect(isLogLevel(value)).toBe(false);
    },
  );
});
