import { describe, expect, test } from "vitest";
import { barOf, durationOf, frameOf, segmentsOf } from "../../../page/state/calls/call-bars.js";
import {
  CALL_FILTER,
  choicesOf,
  filterCalls,
  isFiltering,
  NO_FILTER,
} from "../../../page/state/calls/call-filter.js";
import { callLabel, findLastCall, isCancellable, worstCheck } from "../../../page/state/calls/call-facts.js";
import { describeMessage } from "../../../page/views/wire/call-wire.js";
import { call } from "../../support/page-app/samples.js";

const inspector = { kind: "client", name: "Inspector", session: "s1" } as const;
const calls = [
  call("c1"),
  call("c2", { client: inspector, method: "resources/read", name: "notes://a", era: "legacy" }),
  call("c3", { outcome: "error", message: "Not found" }),
];

describe("filterCalls", () => {
  test.each([
    [{}, ["c3", "c2", "c1"]],
    [{ text: "FORECAST" }, ["c3", "c1"]],
    [{ text: "inspector" }, ["c2"]],
    [{ text: "found forecast" }, ["c3"]],
    [{ client: "page" }, ["c3", "c1"]],
    [{ client: "client:Inspector" }, ["c2"]],
    [{ method: "resources/read" }, ["c2"]],
    [{ outcome: "error" as const }, ["c3"]],
    [{ era: "legacy" as const }, ["c2"]],
    [{ era: "legacy" as const, outcome: "error" as const }, []],
  ])("%j accepts %j", (part, ids) => {
    expect(filterCalls(calls, { ...NO_FILTER, ...part }).map(({ id }) => id)).toEqual(ids);
  });

  test("knows the clients and methods", () => {
    const { clients, methods } = choicesOf(calls);
    expect([...clients]).toEqual([
      ["page", "This page"],
      ["client:Inspector", "Inspector"],
    ]);
    expect(methods).toEqual(["resources/read", "tools/call"]);
  });

  test("a stored filter is checked", () => {
    expect(CALL_FILTER.parse({ text: "a", outcome: "maybe", era: 5 })).toEqual({ ...NO_FILTER, text: "a" });
    expect(CALL_FILTER.parse("x")).toBeUndefined();
    expect(isFiltering(NO_FILTER)).toBe(false);
    expect(isFiltering({ ...NO_FILTER, era: "legacy" })).toBe(true);
  });
});

describe("bars", () => {
  const running = call("r", { at: 1_000, ms: undefined, outcome: "running" });

  test("a call without phases has one segment", () => {
    expect(segmentsOf(call("c1"), 0)).toEqual([{ label: "Call", series: 3, start: 0, end: 20 }]);
    expect(segmentsOf(running, 1_500)).toEqual([{ label: "Running", series: 3, start: 0, end: 500 }]);
  });

  test("a running call continues after its last phase", () => {
    const phases = [{ name: "queue", start: 0, end: 5 }] as const;
    expect(segmentsOf({ ...running, phases }, 1_030).map(({ label, end }) => [label, end])).toEqual([
      ["Queue", 5],
      ["Running", 30],
    ]);
    expect(segmentsOf(call("c1", { phases }), 0).map(({ label }) => label)).toEqual(["Queue"]);
  });

  test("segments are in the order of their start", () => {
    const phases = [
      { name: "handler", start: 2, end: 9 },
      { name: "network", start: 0, end: 2 },
    ] as const;
    expect(segmentsOf(call("c1", { phases }), 0).map(({ label }) => label)).toEqual(["Network", "Handler"]);
  });

  const list = [call("a", { at: 1_000, ms: 1 }), call("b", { at: 1_100, ms: 100 }), running];

  test("on the timeline, bars start at the time of their call", () => {
    const frame = frameOf(list, "timeline", 1_020);
    expect(frame).toEqual({ scale: "timeline", origin: 1_000, length: 200, longest: 100 });
    const bar = barOf(call("b", { at: 1_100, ms: 100 }), frame, 1_020);
    expect(bar.segments[0]).toMatchObject({ start: 100, end: 200 });
    expect(bar.period).toEqual({ start: 0, end: 200 });
  });

  test("by duration, a call that is 100 times shorter has a bar that is 10 times shorter", () => {
    const frame = frameOf(list, "duration", 1_020);
    const shareOf = (ms: number) => {
      const { segments, period } = barOf(call("x", { ms }), frame, 1_020);
      return (segments[0]?.end ?? 0) / period.end;
    };
    expect(shareOf(100)).toBeCloseTo(1);
    expect(shareOf(1)).toBeCloseTo(0.1);
    expect(barOf(call("x", { ms: 0 }), frame, 0).period.end).toBeGreaterThan(0);
  });

  test("an empty list has a frame, and time never runs backward", () => {
    expect(frameOf([], "timeline", 0)).toEqual({ scale: "timeline", origin: 0, length: 0, longest: 0 });
    expect(durationOf(running, 900)).toBe(0);
  });
});

describe("facts", () => {
  test("a call without a name has the name of its method", () => {
    expect(callLabel({ method: "tools/list" })).toBe("tools/list");
    expect(callLabel({ name: "a\nb", method: "tools/call" })).toBe("a b");
  });

  test("only running calls of the page can be cancelled", () => {
    expect(isCancellable(call("a", { outcome: "running" }))).toBe(true);
    expect(isCancellable(call("a"))).toBe(false);
    expect(isCancellable(call("a", { outcome: "running", client: inspector }))).toBe(false);
  });

  test("the worst check counts", () => {
    const check = (status: "ok" | "failed" | "warning") => ({ title: "t", status });
    expect(worstCheck([check("ok")])).toBeUndefined();
    expect(worstCheck([check("warning"), check("failed")])).toBe("failed");
    expect(worstCheck([check("warning")])).toBe("warning");
  });

  test("the last call wins", () => {
    const map = new Map(calls.map((one) => [one.id, one]));
    expect(findLastCall(map, ({ outcome }) => outcome === "ok")?.id).toBe("c2");
    expect(findLastCall(map, () => false)).toBeUndefined();
  });
});

describe("describeMessage", () => {
  test.each([
    [{ text: '{"jsonrpc":"2.0","id":1,"method":"tools/call"}' }, "tools/call (ID 1)"],
    [{ text: '{"method":"notifications/progress"}' }, "notifications/progress"],
    [{ text: '{"id":"a","result":{}}' }, "result (ID a)"],
    [{ text: '{"id":2,"error":{}}' }, "error (ID 2)"],
    [{ text: "[{},{}]" }, "batch of 2"],
    [{ text: "oops" }, "text"],
    [{ text: "" }, "Empty message"],
    [{ text: "", http: { method: "DELETE", headers: [] } }, "DELETE (no body)"],
    [{ text: '{"id":1,"method":"a\\u202eb"}', http: { method: "POST", headers: [] } }, "POST ab (ID 1)"],
  ])("describes the message %j in a line", (entry, expected) => {
    expect(describeMessage(entry)).toBe(expected);
  });
});
