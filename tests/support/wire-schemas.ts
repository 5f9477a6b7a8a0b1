/**
 * @fileoverview Validates messages against the specification's JSON Schemas.
 * @module tests/support/wire-schemas
 */
import { readFileSync } from "node:fs";
import { Compile } from "typebox/schema";
import { type Revision, TRAITS } from "tenon/protocol";
import { checkCreatedTask, checkTaskNotification, checkTaskResult, isTaskMethod } from "./task-schemas.js";

/** Folder with the official schemas, one file per revision. */
const FOLDER = new URL("mcp-schema/", import.meta.url);

/** Result type of each method, by its name in the schemas. */
const RESULTS: Readonly<Record<string, string>> = {
  initialize: "InitializeResult",
  ping: "EmptyResult",
  "logging/setLevel": "EmptyResult",
  "resources/subscribe": "EmptyResult",
  "resources/unsubscribe": "EmptyResult",
  "server/discover": "DiscoverResult",
  "subscriptions/listen": "SubscriptionsListenResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
};

/** Result type of each method of the tasks in legacy revisions. */
const TASK_RESULTS: Readonly<Record<string, string>> = {
  "tasks/get": "GetTaskResult",
  "tasks/result": "GetTaskPayloadResult",
  "tasks/list": "ListTasksResult",
  "tasks/cancel": "CancelTaskResult",
};

/** Validates a result. Returns the problem, or `undefined` for a valid result or a method without a schema. */
export function checkResult(revision: Revision, method: string, result: unknown): string | undefined {
  if (TRAITS[revision].stateless && isObject(result)) {
    if (method === "tools/call" && result["resultType"] === "task") return checkCreatedTask(result);
    if (isTaskMethod(method)) return checkTaskResult(method, result, coreCheckOf(revision));
  }
  const isQuestion = isObject(result) && result["resultType"] === "input_required";
  // A call that requests a task gets the task. Older revisions do not define tasks, but the official SDK serves them.
  const isTask = isObject(result) && method === "tools/call" && "task" in result;
  const taskType = isTask ? "CreateTaskResult" : TASK_RESULTS[method];
  if (taskType !== undefined)
    return taskType in typesOf(revision) ? checkType(revision, taskType, result) : undefined;
  const type = isQuestion ? "InputRequiredResult" : RESULTS[method];
  return type === undefined ? undefined : checkType(revision, type, result);
}

/** Validates an error response. Returns the problem, if any. */
export function checkError(revision: Revision, reply: unknown): string | undefined {
  const types = typesOf(revision);
  return checkType(revision, "JSONRPCError" in types ? "JSONRPCError" : "JSONRPCErrorResponse", reply);
}

/** Validates a notification from the server. Returns the problem, if any. */
export function checkNotification(revision: Revision, notification: unknown): string | undefined {
  if (isObject(notification) && notification["method"] === "notifications/tasks")
    return checkTaskNotification(notification, coreCheckOf(revision));
  return checkType(revision, "ServerNotification", notification);
}

/** Validates a request from the server. Returns the problem, if any. */
export function checkServerRequest(revision: Revision, request: unknown): string | undefined {
  return checkType(revision, "ServerRequest", request);
}

type Types = Readonly<Record<string, unknown>>;
interface Compiled {
  readonly key: "$defs" | "definitions";
  readonly types: Types;
}

const schemas = new Map<Revision, Compiled>();
const validators = new Map<string, ReturnType<typeof Compile>>();

function load(revision: Revision): Compiled {
  const known = schemas.get(revision);
  if (known !== undefined) return known;
  const schema = JSON.parse(readFileSync(new URL(`${revision}.json`, FOLDER), "utf8")) as Record<
    string,
    Types
  >;
  const key = "$defs" in schema ? "$defs" : "definitions";
  const loaded = { key, types: schema[key] ?? {} } as const;
  schemas.set(revision, loaded);
  return loaded;
}

function typesOf(revision: Revision): Types {
  return load(revision).types;
}

function checkType(revision: Revision, type: string, value: unknown): string | undefined {
  const { key, types } = load(revision);
  if (!(type in types)) return `${revision} has no ${type}`;
  const name = `${revision} ${type}`;
  const validator = validators.get(name) ?? Compile({ $ref: `#/${key}/${type}`, [key]: types });
  validators.set(name, validator);
  if (validator.Check(value)) return undefined;
  const [, errors] = validator.Errors(value);
  return `${name}: ${errors.map((error) => `${error.instancePath} ${error.message}`).join("; ")}`;
}

function coreCheckOf(revision: Revision) {
  return (type: string, value: unknown) => checkType(revision, type, value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
