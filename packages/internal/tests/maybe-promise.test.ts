import { describe, expect, test, vi } from "vitest";
import { andThen, isPromise } from "../src/maybe-promise.js";

/** A thenable that is not a promise. */
class Later {
  // oxlint-disable-next-line unicorn/no-thenable -- the test requires a thenable
  then(): void {}
}

describe("isPromise", () => {
  test.each([
    ["a promise", Promise.resolve(1), true],
    ["a thenable", new Later(), true],
    ["null", null, false],
    ["undefined", undefined, false],
    ["text", "then", false],
    ["an object", { a: 1 }, false],
    ["an object whose `then` is data", JSON.parse('{"then":"later"}'), false],
  ])("of %s", (_case, value, expected) => {
    expect(isPromise(value)).toBe(expected);
  });
});

describe("andThen", () => {
  test("calls the next step synchronously with a plain value", () => {
    expect(andThen(20, (value) => value + 1)).toBe(21);
  });

  test("calls the next step later with a promised value", async () => {
    const next = vi.fn((value: number) => value + 1);
    const result = andThen(Promise.resolve(20), next);
    expect(next).not.toHaveBeenCalled();
    expect(isPromise(result)).toBe(true);
    expect(await result).toBe(21);
  });

  test("passes a rejection on and skips the next step", async () => {
    const next = vi.fn((value: number) => value);
    await expect(andThen(Promise.reject<number>(new Error("no")), next)).rejects.toThrow("no");
    expect(next).not.toHaveBeenCalled();
  });

  test("accepts an asynchronous next step", async () => {
    expect(await andThen(1, async (value) => value + 1)).toBe(2);
  });
});
