import { describe, expect, test } from "vitest";
import { DRAFTS, findDraft, putDraft, toTexts } from "../../../page/state/forms/drafts.js";
import { Memory, type MemoryStorage } from "../../../page/state/memory.js";
import { ERA, searchSetting, splitSetting, TOGGLED_GROUPS } from "../../../page/state/settings.js";
import { manualTimer } from "../../support/page-app/samples.js";

const createStorage = (text: string | null = null) => {
  const stored = { text };
  const storage: MemoryStorage = {
    getItem: () => stored.text,
    setItem: (_key, value) => {
      stored.text = value;
    },
  };
  return { stored, storage };
};

describe("Memory", () => {
  test("a setting survives a reload", () => {
    const { stored, storage } = createStorage();
    const timer = manualTimer();
    const before = new Memory({ storage, timer });
    before.signal(ERA).value = "legacy";
    before.signal(searchSetting("tools")).value = "forecast";
    timer.run(300);
    expect(timer.delays()).toEqual([]);
    const after = new Memory({ storage: createStorage(stored.text).storage, timer });
    expect(after.signal(ERA).value).toBe("legacy");
    expect(after.signal(searchSetting("tools")).value).toBe("forecast");
    expect(after.signal(searchSetting("calls")).value).toBe("");
  });

  test("settings that no view has read yet are kept", () => {
    const { stored, storage } = createStorage('{"split.tools":400}');
    const memory = new Memory({ storage, timer: manualTimer() });
    memory.signal(ERA).value = "modern";
    memory.save();
    expect(JSON.parse(stored.text ?? "")).toEqual({ "split.tools": 400, era: "modern" });
  });

  test.each(["not json", "[]", '{"era":"old","split.tools":"wide","groups":[1]}'])(
    "ignores the stored text %s",
    (text) => {
      const memory = new Memory({ storage: createStorage(text).storage, timer: manualTimer() });
      expect(memory.signal(ERA).value).toBe("newest");
      expect(memory.signal(splitSetting("tools", 320)).value).toBe(320);
      expect(memory.signal(TOGGLED_GROUPS).value).toEqual({});
    },
  );

  test("works without a storage", () => {
    const fail = () => {
      throw new DOMException("denied", "SecurityError");
    };
    const memory = new Memory({ storage: { getItem: fail, setItem: fail }, timer: manualTimer() });
    memory.signal(ERA).value = "legacy";
    memory.save();
    expect(memory.signal(ERA).value).toBe("legacy");
  });

  test("does not store more than its limit", () => {
    const { stored, storage } = createStorage();
    const memory = new Memory({ storage, timer: manualTimer(), limit: 50 });
    memory.signal(searchSetting("tools")).value = "x".repeat(100);
    memory.save();
    expect(stored.text).toBeNull();
  });
});

describe("drafts", () => {
  test("the last one is at the end, and replaces an earlier one", () => {
    const drafts = putDraft(putDraft(putDraft([], "a", { x: 1 }), "b", { x: 2 }), "a", { x: 3 });
    expect(drafts).toEqual([
      ["b", { x: 2 }],
      ["a", { x: 3 }],
    ]);
    expect(findDraft(drafts, "a")).toEqual({ x: 3 });
    expect(findDraft(drafts, "c")).toBeUndefined();
    expect(putDraft(drafts, "a", undefined)).toEqual([["b", { x: 2 }]]);
  });

  test("long drafts and old drafts are dropped", () => {
    expect(putDraft([], "a", { file: "x".repeat(60_000) })).toEqual([]);
    let drafts = putDraft([], "0", 0);
    for (let number = 1; number <= 45; number++) drafts = putDraft(drafts, String(number), number);
    expect(drafts.length).toBe(40);
    expect(drafts.at(-1)).toEqual(["45", 45]);
    const large = { text: "x".repeat(45_000) };
    for (let number = 0; number < 20; number++) drafts = putDraft(drafts, `large${number}`, large);
    expect(JSON.stringify(drafts).length).toBeLessThan(510_000);
    expect(drafts.at(-1)?.[0]).toBe("large19");
  });

  test("stored drafts are checked", () => {
    expect(DRAFTS.parse([["a", 1], ["b"], 3, [4, 5]])).toEqual([["a", 1], ["b"]]);
    expect(DRAFTS.parse({})).toBeUndefined();
    expect(toTexts({ a: "x", b: 1 })).toEqual({ a: "x" });
    expect(toTexts([])).toBeUndefined();
  });
});
