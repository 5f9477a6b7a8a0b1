import { describe, expect, test, vi } from "vitest";
import { addSamples, createPageStore, MAX_SAMPLES } from "../../../page/state/page-store.js";
import {
  EMPTY_STATE,
  type PageState,
  reduceEvents,
  startSync,
  syncEvents,
} from "../../../page/state/reduce-events.js";
import type { Launch, PageEvent, Question, TaskSummary } from "../../../src/page/protocol.js";
import { call, line, server } from "../../support/page-app/samples.js";

const launch: Launch = {
  id: "l1",
  mode: "dev",
  target: "server.ts",
  version: "1.0.0",
  countsTokens: true,
  canSignIn: false,
};
const question: Question = { id: "q1", era: "modern", method: "roots/list", params: {}, at: 1 };
const task: TaskSummary = { id: "t1", status: "working", questionIds: [] };

describe("reduceEvents", () => {
  test.each<[PageEvent, Partial<PageState>]>([
    [{ type: "launch", launch }, { launch }],
    [{ type: "server", server: server() }, { server: server() }],
    [{ type: "call", call: call("c1") }, { calls: new Map([["c1", call("c1")]]) }],
    [{ type: "question", question }, { questions: new Map([["q1", question]]) }],
    [{ type: "task", task }, { tasks: new Map([["t1", task]]) }],
    [{ type: "log", entry: line(1) }, { log: [line(1)] }],
    [{ type: "subscriptions", uris: ["a:b"] }, { subscriptions: ["a:b"] }],
    [{ type: "resource-updated", uri: "a:b", at: 5 }, { updates: new Map([["a:b", 5]]) }],
    [{ type: "ready" }, {}],
  ])("stores the event %j", (event, expected) => {
    expect(reduceEvents(EMPTY_STATE, [event])).toEqual({ ...EMPTY_STATE, ...expected });
  });

  test("a changed call keeps its place", () => {
    const events = ["c1", "c2"].map((id): PageEvent => ({ type: "call", call: call(id) }));
    const state = reduceEvents(EMPTY_STATE, [
      ...events,
      { type: "call", call: call("c1", { outcome: "error" }) },
    ]);
    expect([...state.calls.values()].map(({ id, outcome }) => [id, outcome])).toEqual([
      ["c1", "error"],
      ["c2", "ok"],
    ]);
  });

  test("cleared calls and closed questions are removed", () => {
    const before = reduceEvents(EMPTY_STATE, [
      { type: "call", call: call("c1") },
      { type: "question", question },
    ]);
    const after = reduceEvents(before, [{ type: "calls-cleared" }, { type: "question-closed", id: "q1" }]);
    expect(after.calls.size).toBe(0);
    expect(after.questions.size).toBe(0);
    expect(before.calls.size).toBe(1);
  });

  test("parts that do not change stay the same objects, so that nothing renders again", () => {
    const before = reduceEvents(EMPTY_STATE, [{ type: "call", call: call("c1") }]);
    const after = reduceEvents(before, [{ type: "log", entry: line(1) }]);
    expect(after.calls).toBe(before.calls);
    expect(after.tasks).toBe(before.tasks);
    expect(after.log).not.toBe(before.log);
  });

  test("the oldest calls and lines are dropped", () => {
    const calls = Array.from({ length: 2_100 }, (_, at): PageEvent => ({
      type: "call",
      call: call(`c${at}`),
    }));
    const lines = Array.from({ length: 5_100 }, (_, at): PageEvent => ({ type: "log", entry: line(at) }));
    const state = reduceEvents(EMPTY_STATE, [...calls, ...lines]);
    expect([...state.calls.keys()].at(0)).toBe("c100");
    expect(state.calls.size).toBe(2_000);
    expect(state.log.at(0)?.id).toBe(100);
    expect(state.log.length).toBe(5_000);
  });
});

describe("a new stream", () => {
  const first: readonly PageEvent[] = [
    { type: "launch", launch },
    { type: "call", call: call("c1") },
    { type: "ready" },
    { type: "resource-updated", uri: "a:b", at: 5 },
  ];
  const connected = syncEvents(startSync({ shown: EMPTY_STATE, incoming: undefined }), first);

  test("replaces the state only when it is complete", () => {
    const opened = startSync(connected);
    const half = syncEvents(opened, [
      { type: "launch", launch },
      { type: "call", call: call("c2") },
    ]);
    expect([...half.shown.calls.keys()]).toEqual(["c1"]);
    const complete = syncEvents(half, [{ type: "ready" }, { type: "call", call: call("c3") }]);
    expect([...complete.shown.calls.keys()]).toEqual(["c2", "c3"]);
    expect(complete.incoming).toBeUndefined();
  });

  test("keeps the marks of changed resources, except in another launch", () => {
    const again = syncEvents(startSync(connected), [{ type: "launch", launch }, { type: "ready" }]);
    expect(again.shown.updates.get("a:b")).toBe(5);
    const other = { ...launch, id: "l2" };
    const restarted = syncEvents(startSync(connected), [
      { type: "launch", launch: other },
      { type: "ready" },
    ]);
    expect(restarted.shown.updates.size).toBe(0);
  });
});

describe("createPageStore", () => {
  test("reports another launch, and not the first one", () => {
    const onLaunch = vi.fn();
    const store = createPageStore({ onLaunch });
    const connect = (id: string) => {
      store.begin();
      store.apply([{ type: "launch", launch: { ...launch, id } }, { type: "ready" }]);
    };
    connect("l1");
    connect("l1");
    expect(onLaunch).not.toHaveBeenCalled();
    connect("l2");
    expect(onLaunch).toHaveBeenCalledOnce();
    expect(store.launch.value?.id).toBe("l2");
  });

  test("the time passes only while a call runs", () => {
    const store = createPageStore();
    store.tick(5);
    expect(store.now.value).toBe(0);
    store.apply([{ type: "call", call: call("c1", { outcome: "running", ms: undefined }) }]);
    expect(store.runningCalls.value).toBe(1);
    store.tick(6);
    expect(store.now.value).toBe(6);
  });

  test("takes samples of the gauges", () => {
    const store = createPageStore();
    store.sample();
    expect(store.history.value.size).toBe(0);
    store.apply([
      { type: "activity", activity: { sessions: [], gauges: [{ id: "a", title: "A", value: 3 }] } },
    ]);
    store.sample();
    store.sample();
    expect(store.history.value.get("a")).toEqual([3, 3]);
  });
});

test("the history of a gauge has a limit, and ends with the gauge", () => {
  let history = new Map<string, readonly number[]>() as ReadonlyMap<string, readonly number[]>;
  for (let value = 0; value < MAX_SAMPLES + 5; value++)
    history = addSamples(history, [{ id: "a", title: "A", value }]);
  expect(history.get("a")?.length).toBe(MAX_SAMPLES);
  expect(history.get("a")?.[0]).toBe(5);
  expect(addSamples(history, []).size).toBe(0);
});
