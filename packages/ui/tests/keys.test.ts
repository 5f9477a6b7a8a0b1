import { afterEach, describe, expect, test, vi } from "vitest";
import { createShortcuts, isTextTarget, type KeyPress, listenForShortcuts, showKeys } from "../src/keys.js";

const press = (key: string, options: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  timeStamp: 0,
  isTyping: false,
  ...options,
});

describe("shortcuts", () => {
  test.each([
    ["mod+k", press("k", { ctrlKey: true }), false, true],
    ["mod+k", press("k", { metaKey: true }), true, true],
    ["mod+k", press("k", { ctrlKey: true }), true, false],
    ["ctrl+k", press("k", { ctrlKey: true }), true, true],
    ["ctrl+k", press("k", { ctrlKey: true }), false, true],
    ["mod+k", press("k", { metaKey: true }), false, false],
    ["mod+k", press("k"), false, false],
    ["k", press("k", { ctrlKey: true }), false, false],
    ["?", press("?", { shiftKey: true }), false, true],
    ["shift+mod+p", press("P", { ctrlKey: true, shiftKey: true }), false, true],
    ["mod+p", press("P", { ctrlKey: true, shiftKey: true }), false, false],
    ["shift+ArrowUp", press("ArrowUp", { shiftKey: true }), false, true],
    ["Escape", press("Escape"), false, true],
    ["mod++", press("+", { ctrlKey: true }), false, true],
  ])("%s and %o (isMac: %s) → %s", (keys, event, isMac, expected) => {
    const run = vi.fn();
    const registry = createShortcuts({ isMac });
    registry.add({ keys, title: "Test", run });
    expect(registry.handle(event)).toBe(expected);
    expect(run).toHaveBeenCalledTimes(expected ? 1 : 0);
  });

  test("characters have no effect while the user types, but other keys have", () => {
    const registry = createShortcuts({ isMac: false });
    registry.add({ keys: "t", title: "Tools", run: () => {} });
    registry.add({ keys: "mod+Enter", title: "Send", run: () => {} });
    expect(registry.handle(press("t", { isTyping: true }))).toBe(false);
    expect(registry.handle(press("Enter", { isTyping: true, ctrlKey: true }))).toBe(true);
    expect(registry.handle(press("t", { isComposing: true }))).toBe(false);
  });

  test("sequences must be fast enough", () => {
    const registry = createShortcuts({ isMac: false });
    const run = vi.fn();
    registry.add({ keys: "g t", title: "Tools", run });
    expect(registry.handle(press("g", { timeStamp: 0 }))).toBe(false);
    expect(registry.handle(press("t", { timeStamp: 900 }))).toBe(true);
    registry.handle(press("g", { timeStamp: 2_000 }));
    expect(registry.handle(press("t", { timeStamp: 3_500 }))).toBe(false);
    expect(registry.handle(press("t", { timeStamp: 3_600 }))).toBe(false);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test("users can turn off single characters", () => {
    const registry = createShortcuts({ isMac: false });
    registry.add({ keys: "t", title: "Tools", run: () => {} });
    registry.setCharacterKeys(false);
    expect(registry.handle(press("t"))).toBe(false);
    expect(registry.hasCharacterKeys.value).toBe(false);
  });

  test("the last shortcut wins until it is removed, and the help lists all of them by group", () => {
    const registry = createShortcuts({ isMac: false });
    const calls: string[] = [];
    registry.add({ keys: "x", title: "First", run: () => calls.push("first") });
    const remove = registry.add({
      keys: "x",
      title: "Second",
      group: "Calls",
      run: () => calls.push("second"),
    });
    registry.handle(press("x"));
    expect(
      registry.groups().map(({ title, shortcuts }) => [title, shortcuts.map((one) => one.title)]),
    ).toEqual([
      ["General", ["First"]],
      ["Calls", ["Second"]],
    ]);
    remove();
    remove();
    registry.handle(press("x"));
    expect(calls).toEqual(["second", "first"]);
  });
});

test.each([
  ["mod+k", false, "Ctrl+K"],
  ["mod+k", true, "⌘K"],
  ["shift+ArrowUp", false, "Shift+↑"],
  ["g t", false, "G then T"],
  ["?", true, "?"],
  ["Escape", false, "Esc"],
  ["mod++", false, "Ctrl++"],
])("showKeys(%j) with isMac=%s", (keys, isMac, expected) => {
  expect(showKeys(keys, isMac)).toBe(expected);
});

describe("key presses in a window", () => {
  class FakeElement extends EventTarget {
    isContentEditable = false;
    type = "";
  }
  class FakeInput extends FakeElement {}
  class FakeTextArea extends FakeElement {}
  class FakeSelect extends FakeElement {}
  const stub = () => {
    vi.stubGlobal("HTMLElement", FakeElement);
    vi.stubGlobal("HTMLInputElement", FakeInput);
    vi.stubGlobal("HTMLTextAreaElement", FakeTextArea);
    vi.stubGlobal("HTMLSelectElement", FakeSelect);
  };
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  const keyDown = (key: string, isHandled = false) => {
    const { timeStamp: _timeStamp, ...facts } = press(key);
    const event = Object.assign(new Event("keydown", { cancelable: true }), facts, { isComposing: false });
    if (isHandled) event.preventDefault();
    return event;
  };

  test("run shortcuts that no component has used, until the listener is removed", () => {
    stub();
    const run = vi.fn();
    const registry = createShortcuts({ isMac: false });
    registry.add({ keys: "t", title: "Tools", run });
    const target = new EventTarget();
    // Safe: the function uses only the methods of an event target.
    const stop = listenForShortcuts(registry, target as Window);
    const [used, free, other] = [keyDown("t", true), keyDown("t"), keyDown("x")];
    for (const event of [used, free, other]) target.dispatchEvent(event);
    expect(run).toHaveBeenCalledTimes(1);
    expect([free.defaultPrevented, other.defaultPrevented]).toEqual([true, false]);
    stop();
    target.dispatchEvent(keyDown("t"));
    expect(run).toHaveBeenCalledTimes(1);
  });

  test("the user types in text inputs, selects, and editable elements, but not in other elements", () => {
    stub();
    const input = (type: string) => Object.assign(new FakeInput(), { type });
    const typing = [
      input("text"),
      input("date"),
      new FakeTextArea(),
      new FakeSelect(),
      Object.assign(new FakeElement(), { isContentEditable: true }),
    ];
    const others = [input("checkbox"), input("file"), new FakeElement(), new EventTarget(), null];
    expect(typing.map(isTextTarget)).toEqual([true, true, true, true, true]);
    expect(others.map(isTextTarget)).toEqual([false, false, false, false, false]);
  });
});
