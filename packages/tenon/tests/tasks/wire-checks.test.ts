import { describe, expect, test } from "vitest";
import {
  checkCreatedTask,
  checkTaskNotification,
  checkTaskResult,
} from "../../../../tests/support/task-schemas.js";

const valid = () => undefined;
const TASK = {
  taskId: "0123456789abcdefABCDEF-_",
  status: "working",
  createdAt: "2030-01-01T00:00:00.000Z",
  lastUpdatedAt: "2030-01-01T00:00:01.000Z",
  ttlMs: 5,
  pollIntervalMs: 1,
};
const CREATED = { ...TASK, resultType: "task", _meta: {} };
const WORKING = { ...TASK, resultType: "complete" };
const COMPLETED = { ...WORKING, status: "completed", result: { resultType: "complete", content: [] } };
const FAILED = { ...WORKING, status: "failed", error: { code: -32603, message: "no" } };
const ASKING = {
  ...WORKING,
  status: "input_required",
  inputRequests: { name: { method: "elicitation/create", params: {} } },
};
const without = (value: object, name: string) =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
const get = (task: object) => checkTaskResult("tasks/get", { ...task }, valid);

describe("the check of every task message in tests", () => {
  test("accepts valid messages", () => {
    expect(checkCreatedTask(CREATED)).toBeUndefined();
    expect(checkCreatedTask({ ...without(CREATED, "pollIntervalMs"), ttlMs: null })).toBeUndefined();
    for (const task of [WORKING, COMPLETED, FAILED, ASKING, { ...WORKING, status: "cancelled" }])
      expect(get(task)).toBeUndefined();
    expect(
      get({ ...FAILED, statusMessage: "no", error: { code: 1, message: "", data: {} } }),
    ).toBeUndefined();
    for (const method of ["tasks/update", "tasks/cancel"])
      expect(checkTaskResult(method, { resultType: "complete", _meta: {} }, valid)).toBeUndefined();
    const _meta = { "io.modelcontextprotocol/subscriptionId": 1 };
    const notification = { jsonrpc: "2.0", method: "notifications/tasks", params: { ...TASK, _meta } };
    expect(checkTaskNotification(notification, valid)).toBeUndefined();
  });

  test.each(["taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"])("finds a missing `%s`", (name) => {
    expect(checkCreatedTask(without(CREATED, name))).toContain(`${name} is missing`);
    expect(get(without(WORKING, name))).toContain(`${name} is missing`);
  });

  test.each(["requestState", "ttl", "pollInterval", "task", "result", "error", "inputRequests", "keepAlive"])(
    "finds an unknown `%s`",
    (name) => {
      expect(checkCreatedTask({ ...CREATED, [name]: {} })).toContain(`${name} is not allowed`);
      expect(get({ ...WORKING, [name]: {} })).toContain(`${name} is not allowed`);
    },
  );

  test.each<[object, string]>([
    [{ ttlMs: 0 }, "ttlMs must be"],
    [{ ttlMs: 1.5 }, "ttlMs must be"],
    [{ ttlMs: "5" }, "ttlMs must be"],
    [{ pollIntervalMs: 0 }, "pollIntervalMs must be"],
    [{ pollIntervalMs: null }, "pollIntervalMs must be"],
    [{ status: "submitted" }, "status is submitted"],
    [{ statusMessage: 5 }, "statusMessage must be"],
    [{ createdAt: "today" }, "createdAt must be"],
    [{ lastUpdatedAt: 5 }, "lastUpdatedAt must be"],
    [{ lastUpdatedAt: "2029-01-01T00:00:00.000Z" }, "lastUpdatedAt is before createdAt"],
    [{ taskId: "short" }, "taskId must be"],
    [{ taskId: "ä".repeat(24) }, "taskId must be"],
    [{ resultType: "input_required" }, "resultType must be"],
    [{ resultType: undefined }, "resultType must be"],
  ])("finds %o", (change, problem) => {
    expect(checkCreatedTask({ ...CREATED, ...change })).toContain(problem);
    expect(get({ ...WORKING, ...change })).toContain(problem);
  });

  test.each<[object, string]>([
    [without(COMPLETED, "result"), "result is missing"],
    [without(FAILED, "error"), "error is missing"],
    [without(ASKING, "inputRequests"), "inputRequests is missing"],
    [{ ...FAILED, result: {} }, "result is not allowed"],
    [{ ...COMPLETED, result: { content: [] } }, "result.resultType must be complete"],
    [
      {
        ...COMPLETED,
        result: { resultType: "complete", _meta: { "io.modelcontextprotocol/related-task": {} } },
      },
      "result._meta has a related task",
    ],
    [{ ...FAILED, error: { code: "no", message: "" } }, "error.code must be an integer"],
    [{ ...FAILED, error: { code: 1, message: "", stack: "" } }, "stack is not allowed"],
    [{ ...ASKING, inputRequests: {} }, "inputRequests is empty"],
    [{ ...ASKING, inputRequests: { a: { method: "m", params: {}, key: "a" } } }, "key is not allowed"],
  ])("finds members that do not match the status: %#", (task, problem) => {
    expect(get(task)).toContain(problem);
  });

  test("finds task members in an acknowledgement", () => {
    for (const name of ["taskId", "status", "result", "error", "inputRequests"])
      expect(checkTaskResult("tasks/cancel", { resultType: "complete", [name]: {} }, valid)).toContain(
        `${name} is not allowed`,
      );
    expect(checkTaskResult("tasks/update", {}, valid)).toContain("resultType is missing");
  });

  test("finds a notification without its subscription, or with a result type", () => {
    const notification = { jsonrpc: "2.0", method: "notifications/tasks", params: { ...TASK, _meta: {} } };
    expect(checkTaskNotification(notification, valid)).toContain("_meta must have the subscription ID");
    expect(checkTaskNotification({ ...notification, params: WORKING }, valid)).toContain(
      "resultType is not allowed",
    );
  });

  test("reports results and questions that the core schema does not accept", () => {
    const check = (type: string) => `bad ${type}`;
    expect(checkTaskResult("tasks/get", COMPLETED, check)).toContain("bad CallToolResult");
    expect(checkTaskResult("tasks/get", ASKING, check)).toContain("bad InputRequest");
  });
});
