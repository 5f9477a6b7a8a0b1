import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemPorts } from "../src/ports.js";

describe("systemPorts", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("returns milliseconds since the epoch", () => {
    expect(systemPorts.now()).toBe(1_800_000_000_000);
    vi.advanceTimersByTime(5);
    expect(systemPorts.now()).toBe(1_800_000_000_005);
  });

  test("runs a task once, after its delay", () => {
    const task = vi.fn();
    systemPorts.startTimer(task, 100);
    vi.advanceTimersByTime(99);
    expect(task).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(task).toHaveBeenCalledTimes(1);
  });

  test("does not run a cancelled task", () => {
    const task = vi.fn();
    const cancel = systemPorts.startTimer(task, 100);
    cancel();
    vi.advanceTimersByTime(1000);
    expect(task).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([0, 1, 12, 32])("returns %i random bytes", (length) => {
    expect(systemPorts.randomBytes(length)).toHaveLength(length);
  });

  test("returns different random bytes each time", () => {
    expect(systemPorts.randomBytes(32)).not.toEqual(systemPorts.randomBytes(32));
  });

  test("returns the global Web Crypto", () => {
    expect(systemPorts.subtle).toBe(globalThis.crypto.subtle);
  });
});
