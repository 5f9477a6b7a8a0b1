/**
 * @fileoverview Files with recorded calls: writes them, and reads them again. A file can come from a different machine.
 * @module cli/page/record/recording
 */
import { canonicalJson, isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { CommandError } from "../command-error.js";
import type { CallOutcome, RecordedCall, Recording } from "../protocol.js";
import { type CallRecord, REPEATABLE_METHODS } from "./call-record.js";

/** Writes calls to a recording, oldest first. @throws {CommandError} if a call cannot be repeated */
export function toRecording(records: readonly CallRecord[], server: Recording["server"]): Recording {
  const calls = records.map((record): RecordedCall => {
    const { era, method, at } = record.start;
    const { ms, isRepeatable, name = method } = record.toSummary();
    if (!isRepeatable)
      throw new CommandError(409, `The call "${name}" cannot be repeated, so it cannot be exported.`);
    return { era, method, params: record.params, outcome: record.outcome, result: record.result, ms, at };
  });
  return { format: "tenon-recording", version: 1, server, calls };
}

/** Returns true if a call is part of a recording of all calls. */
export function isRecordable(record: CallRecord): boolean {
  return !record.isRunning && record.toSummary().isRepeatable;
}

/** Maximum number of calls in a recording. */
const MAX_CALLS = 2_000;

/** Reads a recording. @throws {CommandError} if it is not valid */
export function parseRecording(value: unknown): Recording {
  if (!isJsonObject(value) || value["format"] !== "tenon-recording")
    throw new CommandError(400, "The file is not a recording of this page.");
  const { version, server, calls } = value;
  if (version !== 1)
    throw new CommandError(
      400,
      "The recording has a version that this page does not support (supported: 1).",
    );
  if (!Array.isArray(calls)) throw new CommandError(400, "`calls` of the recording must be an array.");
  if (calls.length > MAX_CALLS)
    throw new CommandError(400, `The recording has too many calls (limit: ${MAX_CALLS}).`);
  const { name, version: serverVersion } = isJsonObject(server) ? server : {};
  return {
    format: "tenon-recording",
    version: 1,
    server: {
      name: typeof name === "string" ? name : "",
      version: typeof serverVersion === "string" ? serverVersion : "",
    },
    calls: calls.map((call: unknown, index) => parseCall(call, `calls[${index}]`)),
  };
}

const OUTCOMES: readonly CallOutcome[] = ["ok", "tool-error", "error", "cancelled"];

function parseCall(call: unknown, label: string): RecordedCall {
  if (!isJsonObject(call)) throw invalid(label, "an object", call);
  const { era, method, params, outcome, result, ms, at } = call;
  if (era !== "legacy" && era !== "modern") throw invalid(`${label}.era`, '"legacy" or "modern"', era);
  if (typeof method !== "string" || !REPEATABLE_METHODS.has(method))
    throw invalid(`${label}.method`, [...REPEATABLE_METHODS].join(", "), method);
  const known = OUTCOMES.find((one) => one === outcome);
  if (known === undefined) throw invalid(`${label}.outcome`, OUTCOMES.join(", "), outcome);
  if (params !== undefined && !isJsonObject(params)) throw invalid(`${label}.params`, "an object", params);
  if (result !== undefined && !isJsonObject(result)) throw invalid(`${label}.result`, "an object", result);
  return {
    era,
    method,
    params,
    outcome: known,
    result,
    ms: typeof ms === "number" ? ms : undefined,
    at: typeof at === "number" ? at : 0,
  };
}

function invalid(label: string, expected: string, value: unknown): CommandError {
  return new CommandError(400, `\`${label}\` of the recording must be ${expected}; got ${kindOf(value)}.`);
}

/** Difference between a recorded call and its repetition. */
export type Difference = "outcome" | "result";

/**
 * Compares a call with its repetition. Every member of the result counts, and a result that was too long for the
 * recording counts as different.
 */
export function findDifference(
  before: Pick<RecordedCall, "outcome" | "result">,
  after: { readonly outcome: CallOutcome; readonly result: JsonObject | undefined },
): Difference | undefined {
  if (before.outcome !== after.outcome) return "outcome";
  const hasResult = before.outcome === "ok" || before.outcome === "tool-error";
  if (!hasResult) return undefined;
  if (before.result === undefined || after.result === undefined) return "result";
  return canonicalJson(before.result) === canonicalJson(after.result) ? undefined : "result";
}
