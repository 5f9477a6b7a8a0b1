import type { JsonObject } from "@tenon/internal/json";
import { describe, expect, test, vi } from "vitest";
import { type TaskPeer, toTaskHandle } from "../../src/client/task-handle.js";

/** Creates a peer whose `tasks/get` responses are the given ones, in order. */
const createPeer = (...replies: readonly JsonObject[]) => {
  const left = [...replies];
  const controller = new AbortController();
  const peer = {
    signal: controller.signal,
    maxPollMs: 1,
    request: vi.fn(async (method: string) => (method === "tasks/get" ? (left.shift() ?? {}) : {})),
    answer: vi.fn(async (asked: unknown) =>
      Object.fromEntries(Object.keys(asked as object).map((key) => [key, { action: "accept" }])),
    ),
    cancelLast: vi.fn(async () => undefined),
  } satisfies TaskPeer;
  return { peer, controller };
};

const CREATED = { resultType: "task", taskId: "t1" };
const QUESTION = { method: "elicitation/create", params: {} };
const follow = (peer: TaskPeer, options = {}) => toTaskHandle(peer, CREATED)?.result(options);

describe("following a task", () => {
  test("answers each question once, even if it is listed again", async () => {
    const asking = { status: "input_required", inputRequests: { a: QUESTION }, pollIntervalMs: 1 };
    const { peer } = createPeer(asking, asking, { status: "completed", result: { content: [] } });
    expect(await follow(peer)).toEqual({ content: [] });
    expect(peer.answer).toHaveBeenCalledTimes(1);
    const update = { taskId: "t1", inputResponses: { a: { action: "accept" } } };
    expect(peer.request).toHaveBeenCalledWith("tasks/update", update, { signal: expect.any(AbortSignal) });
    expect(peer.cancelLast).not.toHaveBeenCalled();
  });

  test.each(["onStatus", "onProgress"])("passes each status message to %s once", async (callback) => {
    const { peer } = createPeer(
      { status: "working", statusMessage: "one" },
      { status: "working", statusMessage: "one", pollIntervalMs: -5 },
      { status: "working", statusMessage: "two" },
      { status: "failed", statusMessage: "broken", error: { code: -32603, message: "broken" } },
    );
    const heard = vi.fn();
    await expect(follow(peer, { [callback]: heard })).rejects.toMatchObject({
      code: -32603,
      message: "broken",
    });
    expect(heard.mock.calls).toEqual(
      callback === "onStatus"
        ? [["one"], ["two"]]
        : [[{ progress: 1, message: "one" }], [{ progress: 2, message: "two" }]],
    );
    expect(peer.cancelLast).not.toHaveBeenCalled();
  });

  test.each<[string, JsonObject, string]>([
    ["cancelled", { status: "cancelled" }, "The task was cancelled."],
    ["completed without a result", { status: "completed" }, "does not contain a valid task"],
    ["failed without an error", { status: "failed", error: "broken" }, "does not contain a valid task"],
    ["in an unknown status", { status: 7 }, "does not contain a valid task"],
  ])("fails if the task is %s", async (_name, task, message) => {
    const { peer } = createPeer(task);
    await expect(follow(peer)).rejects.toThrow(message);
  });

  test("fails if the server created a task without an ID", () => {
    const { peer } = createPeer();
    expect(() => toTaskHandle(peer, { resultType: "task", taskId: 7 })).toThrow("without a `taskId`");
    expect(peer.request).not.toHaveBeenCalled();
  });

  test("cancels a task that asks too many times", async () => {
    const { peer } = createPeer(
      ...Array.from({ length: 102 }, (_, index) => ({
        status: "input_required",
        inputRequests: { [`key ${index}`]: QUESTION },
      })),
    );
    await expect(follow(peer)).rejects.toThrow("too many times (limit: 100)");
    expect(peer.cancelLast).toHaveBeenCalledWith("t1");
  });

  test("cancels the task when the client stops while it waits", async () => {
    const { peer, controller } = createPeer();
    peer.maxPollMs = 1e9;
    peer.request.mockImplementationOnce(async () => {
      setImmediate(() => controller.abort(new Error("stopped")));
      return { status: "working", pollIntervalMs: 1e9 };
    });
    await expect(follow(peer)).rejects.toThrow("stopped");
    expect(peer.cancelLast).toHaveBeenCalledWith("t1");
  });
});
