/**
 * @fileoverview Checks a record from a file. A record with an odd value, such as a negative size, must not affect others.
 * @module tenon/tasks/directory/check-record
 */
import { isJsonObject } from "@tenon/internal/json";
import type { TaskRecord } from "../state/record.js";
import { BASE_BYTES, jsonBytes } from "../state/size.js";

/** Returns true if all members of a record have the types that a task needs, and its size is plausible. */
export function isTaskRecord(value: unknown): value is TaskRecord {
  if (!isJsonObject(value)) return false;
  const isValid = Object.entries(CHECKS).every(([name, check]) => check(value[name]));
  return isValid && isPlausible(value as unknown as TaskRecord); // Safe: its members were checked
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isTime: Check = (value) => typeof value === "number" && Number.isFinite(value) && value >= 0;
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

const STATUSES: ReadonlySet<unknown> = new Set<TaskRecord["status"]>([
  "working",
  "input_required",
  "completed",
  "failed",
  "cancelled",
]);

const CHECKS: Readonly<Record<keyof TaskRecord, Check>> = {
  taskId: isText,
  server: isText,
  tool: isText,
  scopes: (value) => value === undefined || isTexts(value),
  principal: orNull(isText),
  request: (value) => isJsonObject(value) && isText(value["revision"]) && isJsonObject(value["args"]),
  policy: (value) => isJsonObject(value) && isTime(value["resultTtlMs"]),
  status: (value) => STATUSES.has(value),
  statusMessage: orNull(isText),
  createdAt: isTime,
  updatedAt: isTime,
  ttlMs: orNull(isTime),
  pollIntervalMs: isTime,
  deleteAt: orNull(isTime),
  run: isCount,
  isRunning: isFlag,
  runId: orNull(isText),
  lostWorkers: isCount,
  isCancelRequested: isFlag,
  journal: (value) =>
    isJsonObject(value) &&
    ["answers", "prepared", "questions", "steps"].every((name) => isJsonObject(value[name])) &&
    isTexts(value["usedKeys"]),
  result: orNull(isText),
  error: orNull(isJsonObject),
  bytes: isTime,
};

/** A size that is far too high would take the room of other tasks. */
function isPlausible(record: TaskRecord): boolean {
  return record.bytes <= UNCHECKED_BYTES || record.bytes <= BASE_BYTES + 2 * jsonBytes(record);
}

const UNCHECKED_BYTES = 65_536;
