import type { JsonObject } from "@tenon/internal/json";
import { describe, expect, test, vi } from "vitest";
import { followTask } from "../src/client/tasks.js";

/** Creates a peer whose `tasks/get` responses are the given ones, in order. */
const createPeer = (...replies: readonly JsonObject[]) => {
  const left = [...replies];
  const controller = new AbortController();
  const peer = {
    signal: controller.signal,
    request: vi.fn(async (method: string) => (method === "tasks/get" ? (left.shift() ?? {}) : {})),
    answer: vi.fn(async () => ({ action: "accept" })),
    cancel: vi.fn(),
    onStatus: vi.fn(),
  };
  return { peer, controller };
};

const CREATED = { resultType: "task", taskId: "t1" };
const QUESTION = { method: "elicitation/create", params: {} };

describe("followTask", () => {
  test("answers each question once, even if it is listed again", async () => {
    const asking = { status: "input_required", inputRequests: { a: QUESTION }, pollIntervalMs: 1 };
    const { peer } = createPeer(asking, asking, { status: "completed", result: { content: [] } });
    expect(await followTask(CREATED, peer)).toEqual({ content: [] });
    expect(peer.answer).toHaveBeenCalledTimes(1);
    expect(peer.request).toHaveBeenCalledWith("tasks/update", {
      taskId: "t1",
      inputResponses: { a: { action: "accept" } },
    });
    expect(peer.cancel).not.toHaveBeenCalled();
  });

  test("shows each status message once, but not the one of a failed task", async () => {
    const { peer } = createPeer(
      { status: "working", statusMessage: "one" },
      { status: "working", statusMessage: "one", pollIntervalMs: -5 },
      { status: "failed", statusMessage: "broken", error: { code: -32603, message: "broken" } },
    );
    await expect(followTask(CREATED, peer)).rejects.toMatchObject({ code: -32603, message: "broken" });
    expect(peer.onStatus.mock.calls).toEqual([["one"]]);
    expect(peer.cancel).not.toHaveBeenCalled();
  });

  test.each<[string, JsonObject, string]>([
    ["cancelled", { status: "cancelled" }, "The task was cancelled."],
    ["completed without a result", { status: "completed" }, "does not contain a valid task"],
    ["failed without an error", { status: "failed", error: "broken" }, "does not contain a valid task"],
    ["in an unknown status", { status: 7 }, "does not contain a valid task"],
  ])("fails if the task is %s", async (_name, task, message) => {
    const { peer } = createPeer(task);
    await expect(followTask(CREATED, peer)).rejects.toThrow(message);
  });

  test("fails if the server created a task without an ID", async () => {
    const { peer } = createPeer();
    await expect(followTask({ resultType: "task", taskId: 7 }, peer)).rejects.toThrow("without a `taskId`");
    expect(peer.request).not.toHaveBeenCalled();
  });

  test("cancels a task that asks too many times", async () => {
    const { peer } = createPeer(
      ...Array.from({ length: 102 }, (_, index) => ({
        status: "input_required",
        inputRequests: { [`key ${index}`]: QUESTION },
      })),
    );
    await expect(followTask(CREATED, peer)).rejects.toThrow("too many times (limit: 100)");
    expect(peer.cancel).toHaveBeenCalledWith("t1");
  });

  test("cancels the task when the user stops the command while it waits", async () => {
    const { peer, controller } = createPeer({ status: "working", pollIntervalMs: 1e9 });
    peer.request.mockImplementationOnce(async () => {
      setImmediate(() => controller.abort());
      return { status: "working", pollIntervalMs: 1e9 };
    });
    await expect(followTask(CREATED, peer)).rejects.toMatchObject({ exitCode: 130 });
    expect(peer.cancel).toHaveBeenCalledWith("t1");
  });
});
