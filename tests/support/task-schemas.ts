/**
 * @fileoverview Validates messages of the Tasks extension strictly: required members, no unknown members, and members
 * that depend on the status. The specification's core schemas do not contain the extension.
 * @module tests/support/task-schemas
 */
type Values = Readonly<Record<string, unknown>>;

/** Validates a value against a type of the core schema. Returns the problem, if any. */
export type CoreCheck = (type: string, value: unknown) => string | undefined;

const RELATED_TASK = "io.modelcontextprotocol/related-task";
const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

/** Members that every task must have. */
const REQUIRED = ["taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"];

/** Members that every task may have. */
const OPTIONAL = ["statusMessage", "pollIntervalMs"];

/** Members that a detailed task must have in addition, by status. */
const BY_STATUS: Readonly<Record<string, readonly string[]>> = {
  working: [],
  input_required: ["inputRequests"],
  completed: ["result"],
  failed: ["error"],
  cancelled: [],
};

/** Returns true for the methods of the extension. */
export function isTaskMethod(method: string): boolean {
  return method === "tasks/get" || method === "tasks/update" || method === "tasks/cancel";
}

/** Validates the result of a `tools/call` that created a task. Returns the problem, if any. */
export function checkCreatedTask(result: Values): string | undefined {
  const problems = [
    ...membersProblems(result, { required: [...REQUIRED, "resultType"], optional: [...OPTIONAL, "_meta"] }),
    ...taskProblems(result),
    result["resultType"] === "task" ? undefined : "resultType must be task",
  ];
  return describe("CreateTaskResult", problems);
}

/** Validates the result of a method of the extension. Returns the problem, if any. */
export function checkTaskResult(method: string, result: Values, checkCore: CoreCheck): string | undefined {
  const isComplete = result["resultType"] === "complete" ? undefined : "resultType must be complete";
  if (method !== "tasks/get") {
    const members = membersProblems(result, { required: ["resultType"], optional: ["_meta"] });
    return describe(`result of ${method}`, [...members, isComplete]);
  }
  const problems = [...detailedProblems(result, ["resultType", "_meta"], checkCore), isComplete];
  return describe("GetTaskResult", problems);
}

/** Validates a `notifications/tasks` message. Returns the problem, if any. */
export function checkTaskNotification(notification: Values, checkCore: CoreCheck): string | undefined {
  const { params } = notification;
  if (!isObject(params)) return "notifications/tasks: params must be an object";
  const id = isObject(params["_meta"]) ? params["_meta"][SUBSCRIPTION_ID] : undefined;
  const problems = [
    ...membersProblems(notification, { required: ["jsonrpc", "method", "params"], optional: [] }),
    ...detailedProblems(params, ["_meta"], checkCore),
    typeof id === "string" || typeof id === "number" ? undefined : "_meta must have the subscription ID",
  ];
  return describe("notifications/tasks", problems);
}

type Problem = string | undefined;

function detailedProblems(task: Values, more: readonly string[], checkCore: CoreCheck): readonly Problem[] {
  const own = BY_STATUS[String(task["status"])] ?? [];
  return [
    ...membersProblems(task, { required: [...REQUIRED, ...own], optional: [...OPTIONAL, ...more] }),
    ...taskProblems(task),
    ...("inputRequests" in task ? requestProblems(task["inputRequests"], checkCore) : []),
    ...("result" in task ? resultProblems(task["result"], checkCore) : []),
    ...("error" in task ? errorProblems(task["error"]) : []),
  ];
}

function membersProblems(
  value: Values,
  { required, optional }: { readonly required: readonly string[]; readonly optional: readonly string[] },
): readonly Problem[] {
  const missing = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `${name} is missing`);
  const known = new Set([...required, ...optional]);
  const extra = Object.keys(value).filter((name) => !known.has(name));
  return [...missing, ...extra.map((name) => `${name} is not allowed`)];
}

function taskProblems(task: Values): readonly Problem[] {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task;
  const isHeaderSafe = typeof taskId === "string" && /^[\x21-\x7e]{20,128}$/.test(taskId);
  return [
    isHeaderSafe ? undefined : "taskId must be 20 to 128 visible ASCII characters",
    Object.hasOwn(BY_STATUS, String(status)) ? undefined : `status is ${String(status)}`,
    statusMessage === undefined || typeof statusMessage === "string"
      ? undefined
      : "statusMessage must be a string",
    isIsoDate(createdAt) ? undefined : "createdAt must be an ISO date",
    isIsoDate(lastUpdatedAt) ? undefined : "lastUpdatedAt must be an ISO date",
    isIsoDate(createdAt) && isIsoDate(lastUpdatedAt) && lastUpdatedAt < createdAt
      ? "lastUpdatedAt is before createdAt"
      : undefined,
    ttlMs === null || isPositiveInteger(ttlMs) ? undefined : "ttlMs must be a positive integer or null",
    pollIntervalMs === undefined || isPositiveInteger(pollIntervalMs)
      ? undefined
      : "pollIntervalMs must be a positive integer",
  ];
}

function requestProblems(requests: unknown, checkCore: CoreCheck): readonly Problem[] {
  if (!isObject(requests)) return ["inputRequests must be an object"];
  const all = Object.values(requests);
  return [
    all.length > 0 ? undefined : "inputRequests is empty",
    ...all.flatMap((one) => [
      checkCore("InputRequest", one),
      ...(isObject(one) ? membersProblems(one, { required: ["method", "params"], optional: [] }) : []),
    ]),
  ];
}

function resultProblems(result: unknown, checkCore: CoreCheck): readonly Problem[] {
  if (!isObject(result)) return ["result must be an object"];
  const { resultType, _meta } = result;
  return [
    checkCore("CallToolResult", result),
    resultType === "complete" ? undefined : "result.resultType must be complete",
    isObject(_meta) && RELATED_TASK in _meta ? "result._meta has a related task" : undefined,
  ];
}

function errorProblems(error: unknown): readonly Problem[] {
  if (!isObject(error)) return ["error must be an object"];
  return [
    ...membersProblems(error, { required: ["code", "message"], optional: ["data"] }),
    Number.isInteger(error["code"]) ? undefined : "error.code must be an integer",
    typeof error["message"] === "string" ? undefined : "error.message must be a string",
  ];
}

function describe(name: string, problems: readonly Problem[]): string | undefined {
  const found = problems.filter((problem) => problem !== undefined);
  return found.length === 0 ? undefined : `${name}: ${found.join("; ")}`;
}

function isIsoDate(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
}

function isPositiveInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
