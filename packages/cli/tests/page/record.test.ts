import { describe, expect, test } from "vitest";
import { toBoundedJson } from "../../src/page/record/bounded-json.js";
import { CallRecord, type CallStart } from "../../src/page/record/call-record.js";
import { CallStore } from "../../src/page/record/call-store.js";
import { toNetworkPhases, toPhases } from "../../src/page/record/phases.js";
import {
  findDifference,
  isRecordable,
  parseRecording,
  toRecording,
} from "../../src/page/record/recording.js";
import { findProblems } from "../../src/page/schema/find-problems.js";

const START: CallStart = {
  client: { kind: "page", name: "This page" },
  era: "modern",
  revision: undefined,
  method: "tools/call",
  params: { name: "add", arguments: { a: 1 } },
  at: 1_000,
};

const createRecord = (start: Partial<CallStart> = {}) =>
  new CallRecord("c1", { ...START, ...start }, () => undefined);

describe("a record", () => {
  test("summarizes a call", () => {
    const record = createRecord();
    record.addMessage({ direction: "sent", at: 1_001, text: '{"a":1}' });
    record.setProgress({ progress: 1, total: 2, message: "half" });
    record.addMessage({ direction: "received", at: 1_004.5, text: '{"ü":1}' });
    record.addPhases([{ name: "handler", start: 1_001, end: 1_003 }]);
    record.finish({ outcome: "ok", result: '{"content":[]}', at: 1_005 });
    expect(record.toSummary()).toMatchObject({
      id: "c1",
      name: "add",
      at: 1_000,
      ms: 5,
      outcome: "ok",
      requestBytes: 7,
      responseBytes: 8,
      progress: { progress: 1, total: 2, message: "half" },
      phases: [
        { name: "handler", start: 1, end: 3 },
        { name: "network", start: 0, end: 1 },
        { name: "network", start: 3, end: 5 },
      ],
      isRepeatable: true,
    });
    expect(record.wire.map(({ at }) => at)).toEqual([1, 4.5]);
    expect(record.result).toEqual({ content: [] });
  });

  test("keeps its first end, and ignores later progress", () => {
    const record = createRecord();
    record.finish({ outcome: "cancelled", at: 1_001 });
    record.finish({ outcome: "ok", at: 1_002 });
    record.setProgress({ progress: 1 });
    expect(record.toSummary()).toMatchObject({ outcome: "cancelled", ms: 1 });
    expect(record.toSummary().progress).toBeUndefined();
  });

  test("cuts long messages, and counts their whole size", () => {
    const record = createRecord();
    record.addMessage({ direction: "received", at: 1_000, text: "x".repeat(1_000_000) });
    const [entry] = record.wire;
    expect([entry?.text.length, entry?.isCut]).toEqual([262_144, true]);
    expect(record.toSummary().responseBytes).toBe(1_000_000);
    expect(record.size).toBeLessThan(300_000);
  });

  test("bounds the number of messages, and keeps the last one", () => {
    const record = createRecord();
    for (let index = 0; index < 5_000; index++)
      record.addMessage({ direction: "received", at: 1_000, text: String(index) });
    expect(record.wire.length).toBe(1_000);
    expect(record.wire.at(-1)).toMatchObject({ text: "4999", isCut: true });
    expect(record.size).toBeLessThan(10_000);
  });

  test("keeps a large result, such as an image, but not one that is too long", () => {
    const large = createRecord();
    const text = "x".repeat(8_000_000);
    large.finish({ outcome: "ok", result: JSON.stringify({ text }), at: 1_001 });
    expect(large.result?.["text"] === text).toBe(true);
    const record = createRecord();
    record.finish({ outcome: "ok", result: JSON.stringify({ text: text + text }), at: 1_001 });
    expect(record.result === undefined).toBe(true);
    expect(record.size).toBeLessThan(1_000);
  });

  test("shortens names and messages that a client chooses", () => {
    const record = createRecord({
      params: { name: "n\u001b[31m\n".repeat(1_000) },
      method: "m".repeat(5_000),
    });
    record.finish({ outcome: "error", message: "e".repeat(100_000), at: 1_001 });
    const { name = "", method, message = "" } = record.toSummary();
    expect(Math.max(name.length, method.length)).toBeLessThanOrEqual(500);
    expect(message.length).toBeLessThanOrEqual(1_000);
    // oxlint-disable-next-line no-control-regex -- the characters are what the test is about
    expect(name).not.toMatch(/[\u0000-\u001f]/);
  });
});

describe("the store", () => {
  const createStore = (limits?: { calls: number; bytes: number }) => {
    const changes: string[] = [];
    const store = new CallStore({ onChange: ({ id }) => changes.push(id), ...(limits && { limits }) });
    return { store, changes };
  };

  test("drops the oldest calls beyond the number", () => {
    const { store } = createStore();
    for (let index = 0; index < 5_000; index++) store.start(START).finish({ outcome: "ok", at: 1_001 });
    expect(store.count).toBe(2_000);
    expect(store.get("c3000")).toBeUndefined();
    expect(store.get("c3001")).toBeDefined();
  });

  test("drops the oldest calls beyond the size, also while a call grows", () => {
    const { store } = createStore({ calls: 100, bytes: 10_000 });
    const first = store.start(START);
    first.finish({ outcome: "ok", at: 1_001 });
    const second = store.start(START);
    for (let index = 0; index < 9; index++)
      second.addMessage({ direction: "received", at: 1_000, text: "x".repeat(1_000) });
    expect(store.get(first.id)).toBeDefined();
    second.addMessage({ direction: "received", at: 1_000, text: "x".repeat(950) });
    expect(store.get(first.id)).toBeUndefined();
    expect(store.get(second.id)).toBeDefined();
    expect(store.bytes).toBe(second.size);
  });

  test("stays within 64 MB of texts", () => {
    const { store } = createStore();
    const text = "x".repeat(262_144);
    for (let index = 0; index < 400; index++) {
      const record = store.start(START);
      record.addMessage({ direction: "received", at: 1_000, text });
      record.finish({ outcome: "ok", at: 1_001 });
      expect(store.bytes).toBeLessThanOrEqual(64 * 1024 * 1024);
    }
    expect(store.count).toBeLessThan(260);
  });

  test("drops a call that exceeds the limit alone, and ignores its later changes", () => {
    const { store, changes } = createStore({ calls: 10, bytes: 100 });
    const record = store.start({ ...START, params: undefined });
    record.addMessage({ direction: "received", at: 1_000, text: "x".repeat(1_000) });
    expect([store.count, store.bytes]).toEqual([0, 0]);
    const before = changes.length;
    record.finish({ outcome: "ok", at: 1_001 });
    expect([changes.length, store.bytes]).toEqual([before, 0]);
  });

  test("clears calls that have ended, and keeps running ones", () => {
    const { store } = createStore();
    const [ended, running] = [store.start(START), store.start(START)];
    ended.finish({ outcome: "ok", at: 1_001 });
    store.clear();
    expect(store.records()).toEqual([running]);
    expect(store.bytes).toBe(running.size);
  });
});

describe("phases", () => {
  const names = (phases: readonly { name: string; start: number; end: number }[]) =>
    phases.map(({ name, start, end }) => [name, start, end]);

  test("follow the times of the process", () => {
    const times = { received: 12, handlerStart: 14, handlerEnd: 18, replied: 19 };
    expect(names(toPhases({ start: 10, end: 20 }, times))).toEqual([
      ["queue", 10, 12],
      ["validate", 12, 14],
      ["handler", 14, 18],
      ["serialize", 18, 19],
      ["network", 19, 20],
    ]);
  });

  test("have one handler phase if the handler was not observed", () => {
    expect(names(toPhases({ start: 10, end: 20 }, { received: 12, replied: 19 }))).toEqual([
      ["queue", 10, 12],
      ["handler", 12, 19],
      ["network", 19, 20],
    ]);
  });

  test("of a call that never reached a process are the queue", () => {
    expect(names(toPhases({ start: 10, end: 20 }, undefined))).toEqual([["queue", 10, 20]]);
  });

  test.each([
    { received: -100, handlerStart: -90, handlerEnd: -80, replied: -70 },
    { received: 100, handlerStart: 110, handlerEnd: 120, replied: 130 },
    { received: 19, handlerStart: 11, handlerEnd: 12, replied: 10 },
    { received: Number.NaN, handlerStart: 14, handlerEnd: 18, replied: 19 },
  ])("stay within the call if the clocks differ: %j", (times) => {
    for (const { start, end } of toPhases({ start: 10, end: 20 }, times)) {
      expect(start).toBeGreaterThanOrEqual(10);
      expect(end).toBeLessThanOrEqual(20);
      expect(end).toBeGreaterThan(start);
    }
  });

  test("of the network fill the gaps, also between overlapping phases", () => {
    const known = [
      { start: 14, end: 18 },
      { start: 12, end: 16 },
    ];
    expect(names(toNetworkPhases({ start: 10, end: 20 }, known))).toEqual([
      ["network", 10, 12],
      ["network", 18, 20],
    ]);
  });
});

describe("large values", () => {
  test.each<[unknown]>([
    [{ a: [1, "two", null, true, { b: {} }, []], "c d": 'it"s' }],
    [[]],
    ["text"],
    [null],
  ])("that fit are written completely: %j", (value) => {
    expect(toBoundedJson(value, 1_000)).toBe(JSON.stringify(value));
  });

  test.each<[unknown]>([
    ["x".repeat(10_000_000)],
    [Array.from({ length: 100_000 }, (_, index) => index)],
    [Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key-${index}`, "value"]))],
    [{ ["k".repeat(1_000_000)]: 1 }],
  ])("are cut, and start like the whole text", (value) => {
    const text = toBoundedJson(value, 1_000);
    expect(text.length).toBeLessThan(1_100);
    expect(JSON.stringify(value).startsWith(text.slice(0, 990))).toBe(true);
  });
});

describe("recordings", () => {
  test("contain the calls, and can be read again", () => {
    const store = new CallStore({ onChange: () => undefined });
    const record = store.start(START);
    record.addMessage({
      direction: "sent",
      at: 1_000,
      http: { method: "POST", headers: [["authorization", "Bearer [REDACTED]"]] },
      text: "{}",
    });
    record.finish({ outcome: "ok", result: '{"content":[]}', at: 1_003 });
    const recording = toRecording(store.records(), { name: "shop", version: "1" });
    expect(JSON.stringify(recording)).not.toContain("authorization");
    expect(parseRecording(JSON.parse(JSON.stringify(recording)))).toEqual(recording);
    expect(recording.calls).toEqual([
      {
        era: "modern",
        method: "tools/call",
        params: START.params,
        outcome: "ok",
        result: { content: [] },
        ms: 3,
        at: 1_000,
      },
    ]);
  });

  test("reject calls that cannot be repeated, and leave them out of a recording of all calls", () => {
    const record = createRecord({ method: "ping", params: undefined });
    record.finish({ outcome: "ok", at: 1_001 });
    expect(isRecordable(record)).toBe(false);
    expect(isRecordable(createRecord())).toBe(false);
    expect(() => toRecording([record], { name: "", version: "" })).toThrow(
      'The call "ping" cannot be repeated, so it cannot be exported.',
    );
  });

  test.each<[unknown, unknown, string | undefined]>([
    [{ outcome: "ok", result: { a: 1, b: 2 } }, { outcome: "ok", result: { b: 2, a: 1 } }, undefined],
    [{ outcome: "ok", result: { a: 1 } }, { outcome: "ok", result: { a: 2 } }, "result"],
    [
      { outcome: "ok", result: { _meta: { x: 1 } } },
      { outcome: "ok", result: { _meta: { x: 2 } } },
      "result",
    ],
    [{ outcome: "ok", result: {} }, { outcome: "tool-error", result: {} }, "outcome"],
    [{ outcome: "ok" }, { outcome: "ok", result: {} }, "result"],
    [{ outcome: "error" }, { outcome: "error" }, undefined],
    [{ outcome: "cancelled" }, { outcome: "error" }, "outcome"],
  ])("differ: %j and %j: %s", (before, after, expected) => {
    expect(findDifference(before as never, after as never)).toBe(expected);
  });
});

describe("validation", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 2 },
      tags: { type: "array", items: { type: "string" } },
      nested: { type: "object", properties: { size: { type: "integer" } }, required: ["size"] },
    },
    required: ["name"],
    additionalProperties: false,
  };

  test.each<[unknown, unknown]>([
    [{ name: "Ada" }, []],
    [{}, [{ path: ["name"], message: "A value is required." }]],
    [{ name: "Ada", tags: ["a", 1] }, [{ path: ["tags", 1], message: "Must be a string." }]],
    [{ name: "Ada", nested: {} }, [{ path: ["nested", "size"], message: "A value is required." }]],
    [{ name: "Ada", more: 1 }, [{ path: ["more"], message: "This property is not allowed." }]],
  ])("of %j finds %j", (value, problems) => {
    expect(findProblems(schema, value)).toEqual({ ok: true, problems });
  });

  test.each<[string, Record<string, unknown>]>([
    ["a reference that does not exist", { $ref: "#/$defs/none" }],
    ["a pattern that is not valid", { type: "string", pattern: "(" }],
    [
      "a schema that is nested too deeply",
      JSON.parse(`${'{"not":'.repeat(200)}{}${"}".repeat(200)}`) as never,
    ],
    ["a schema that is too long", { description: "x".repeat(2_000_000) }],
    ["a schema that refers to itself", { $ref: "#" }],
  ])("never throws for %s", (_name, hostile) => {
    const outcome = findProblems(hostile, "value");
    if (!outcome.ok) expect(outcome.reason).toMatch(/^The (?:schema|validation) /);
  });
});
