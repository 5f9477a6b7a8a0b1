import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemPorts } from "../src/ports.js";

describe("the system's ports", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("tell the time in milliseconds since the epoch", () => {
    expect(systemPorts.now()).toBe(1_800_000_000_000);
    vi.advanceTimersByTime(5);
    expect(systemPorts.now()).toBe(1_800_000_000_005);
  });

  test("run a task once, after its time", () => {
    const task = vi.fn();
    systemPorts.startTimer(task, 100);
    vi.advanceTimersByTime(99);
    expect(task).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(task).toHaveBeenCalledTimes(1);
  });

  test("run no task that was cancelled", () => {
    const task = vi.fn();
    const cancel = systemPorts.startTimer(task, 100);
    cancel();
    vi.advanceTimersByTime(1000);
    expect(task).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([0, 1, 12, 32])("give %i random bytes", (length) => {
    expect(systemPorts.randomBytes(length)).toHaveLength(length);
  });

  test("give other random bytes each time", () => {
    expect(systemPorts.randomBytes(32)).not.toEqual(systemPorts.randomBytes(32));
  });

  test("hand out Web Crypto as it stands", () => {
    expect(systemPorts.subtle).toBe(globalThis.crypto.subtle);
  });
});
