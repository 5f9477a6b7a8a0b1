import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { form } from "../../src/index.js";
import { startExpiryTimer } from "../../src/tasks/state/expiry-timer.js";
import { connect, createTaskClock, taskServer } from "../support/tasks/task-client.js";

/** Maximum delay of a timer in Node.js and browsers. */
const MAX_DELAY = 2 ** 31 - 1;

/** Creates a clock that records the delay of every timer. */
function setUp() {
  const clock = createTaskClock();
  const delays: number[] = [];
  const ports = {
    ...clock.ports,
    startTimer(task: () => void, ms: number, background?: boolean) {
      if (ms > 0) delays.push(ms);
      return clock.ports.startTimer(task, ms, background);
    },
  };
  return { clock, ports, delays };
}

describe("the timer for the end of a lifetime", () => {
  test.each([1, 10_000, MAX_DELAY, MAX_DELAY + 1, 2 ** 33])("fires once, at the end of %d ms", (ttlMs) => {
    const { clock, ports, delays } = setUp();
    let calls = 0;
    startExpiryTimer(ports, { createdAt: clock.now(), ttlMs }, () => calls++);
    let left = ttlMs - 1;
    for (; left > 0; left -= MAX_DELAY) clock.advance(Math.min(left, MAX_DELAY));
    expect(calls).toBe(0);
    clock.advance(1);
    expect(calls).toBe(1);
    expect(Math.max(...delays)).toBe(Math.min(ttlMs, MAX_DELAY));
    expect(clock.timers()).toBe(0);
    clock.advance(MAX_DELAY);
    expect(calls).toBe(1);
  });

  test("fires soon if the lifetime has ended", () => {
    const { clock, ports, delays } = setUp();
    let calls = 0;
    startExpiryTimer(ports, { createdAt: clock.now() - 50, ttlMs: 10 }, () => calls++);
    expect(calls).toBe(0);
    expect(delays).toEqual([1]);
    clock.advance(1);
    expect(calls).toBe(1);
  });

  test("can be stopped at every step", () => {
    const { clock, ports } = setUp();
    let calls = 0;
    const stop = startExpiryTimer(ports, { createdAt: clock.now(), ttlMs: 2 ** 33 }, () => calls++);
    clock.advance(MAX_DELAY);
    expect(clock.timers()).toBe(1);
    stop();
    expect(clock.timers()).toBe(0);
    clock.advance(2 ** 33);
    expect(calls).toBe(0);
  });

  test("does not exist for a task without a lifetime", () => {
    const { clock, ports } = setUp();
    const stop = startExpiryTimer(ports, { createdAt: clock.now(), ttlMs: null }, () => undefined);
    expect(clock.timers()).toBe(0);
    stop();
  });
});

test("the end of a lifetime of 30 days is sent on a listen stream", async () => {
  const { clock, ports, delays } = setUp();
  const ttlMs = 30 * 86_400_000;
  const server = taskServer({ ttlMs }, { ports })
    .tool("ask", {
      task: "optional",
      handler: async (_args, call) =>
        (await call.input("sure", form({ message: "Sure?", schema: z.object({ ok: z.boolean() }) }))).action,
    })
    .build();
  const { client, create, until } = await connect(server);
  const taskId = await create("ask");
  await until(taskId, "input_required");
  const stream = client.listen({ taskIds: [taskId] });
  onTestFinished(() => stream.stop());
  await expect.poll(() => client.notifications.length, { interval: 2 }).toBe(2);
  clock.advance(MAX_DELAY);
  clock.advance(ttlMs - MAX_DELAY);
  await expect.poll(() => client.notifications.length, { interval: 2 }).toBe(3);
  expect(client.notifications[2]?.params).toMatchObject({ taskId, status: "failed" });
  expect(Math.max(...delays)).toBe(MAX_DELAY);
});
