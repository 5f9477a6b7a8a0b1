import { describe, expect, test } from "vitest";
import { filterLog, LOG_FILTER, SERVER_LEVEL, toLogText } from "../../../page/state/log-filter.js";
import { line } from "../../support/page-app/samples.js";

const log = [
  line(1, { level: "debug" }),
  line(2, { level: "warning", source: "server", logger: "db" }),
  line(3, { level: "error", source: "command", text: "Handler failed" }),
];
const all = LOG_FILTER.initial;

describe("filterLog", () => {
  test.each([
    [{}, [1, 2, 3]],
    [{ level: "warning" as const }, [2, 3]],
    [{ source: "server" as const }, [2]],
    [{ text: "FAILED" }, [3]],
    [{ text: "db" }, [2]],
    [{ text: "line", level: "error" as const }, []],
  ])("%j accepts %j", (part, ids) => {
    expect(filterLog(log, { ...all, ...part }).map(({ id }) => id)).toEqual(ids);
  });

  test("returns the same list if nothing is filtered", () => {
    expect(filterLog(log, all)).toBe(log);
  });

  test("a stored filter is checked", () => {
    expect(LOG_FILTER.parse({ level: "loud", source: "moon", text: 5 })).toEqual(all);
    expect(LOG_FILTER.parse(null)).toBeUndefined();
  });

  test("a stored level of the server is checked", () => {
    expect(SERVER_LEVEL.parse({ launch: "a", level: "debug" })).toEqual({ launch: "a", level: "debug" });
    expect(SERVER_LEVEL.parse({ launch: 5, level: "loud" })).toEqual(SERVER_LEVEL.initial);
    expect(SERVER_LEVEL.parse([])).toBeUndefined();
  });
});

test("the log can be saved as text", () => {
  expect(toLogText(log.slice(1, 2))).toBe("1970-01-01T00:00:00.002Z warning [server db] line 2");
});
