/**
 * @fileoverview Reads the arguments of calls from another process. An invalid argument fails only that call.
 * @module tenon/transport/node/workers/read-arguments
 */
import { isJsonObject } from "@tenon/internal/json";
import { ENGINE_LIMITS, type EngineLimits } from "../../../tasks/engine/engine-options.js";
import type { TaskRecord } from "../../../tasks/state/record.js";

/** Arguments of a call. */
export type Args = readonly unknown[];

/** Reads a text. @throws {RangeError} if it is a different value */
export function readText(args: Args, index: number): string {
  const value = args[index];
  return typeof value === "string" ? value : invalid(index);
}

/** Reads a text or nothing. @throws {RangeError} if it is a different value */
export function readOptionalText(args: Args, index: number): string | undefined {
  return isAbsent(args[index]) ? undefined : readText(args, index);
}

/** Reads a number. @throws {RangeError} if it is a different value */
export function readNumber(args: Args, index: number): number {
  const value = args[index];
  return typeof value === "number" ? value : invalid(index);
}

/** Reads a number or nothing. @throws {RangeError} if it is a different value */
export function readOptionalNumber(args: Args, index: number): number | undefined {
  return isAbsent(args[index]) ? undefined : readNumber(args, index);
}

/** Reads a task's record. @throws {RangeError} if a member that the engine uses is invalid */
export function readRecord(args: Args, index: number): TaskRecord {
  const value = args[index];
  if (!isJsonObject(value)) return invalid(index);
  const { taskId, principal, server, tool, status, deleteAt, bytes, request } = value;
  const isValid =
    [taskId, server, tool, status].every((member) => typeof member === "string") &&
    (principal === null || typeof principal === "string") &&
    (deleteAt === null || typeof deleteAt === "number") &&
    typeof bytes === "number" &&
    isJsonObject(request);
  // Safe: the engine does not use other members, and a worker of the same program wrote them.
  return isValid ? (value as unknown as TaskRecord) : invalid(index);
}

/** Reads the limits of an engine. @throws {RangeError} if one of them is invalid */
export function readLimits(args: Args, index: number): EngineLimits {
  const value = args[index];
  const isValid =
    isJsonObject(value) &&
    Object.entries(ENGINE_LIMITS.rows).every(([name, row]) => row.accepts(value[name]));
  return isValid ? (value as unknown as EngineLimits) : invalid(index); // Safe: checked against the rows
}

/** JSON has no `undefined`, so an absent argument arrives as `null`. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function invalid(index: number): never {
  throw new RangeError(`Argument ${index + 1} is invalid.`);
}
