/**
 * @fileoverview Form of errors in messages between processes. Errors that callers can handle keep their class and code.
 * @module tenon/transport/node/workers/wire-errors
 */
import { isJsonObject } from "@tenon/internal/json";
import { messageOf } from "@tenon/internal/thrown";
import { StoreError } from "../../../stores/store-error.js";
import { TaskEngineError } from "../../../tasks/engine/task-engine.js";

/** Error in a message. */
export interface WireError {
  readonly name: string;
  readonly message: string;
  readonly code: string | null;
}

/** Converts a thrown value for a message. */
export function encodeError(error: unknown): WireError {
  const message = (messageOf(error) ?? "Unknown error").slice(0, MAX_MESSAGE);
  if (error instanceof StoreError || error instanceof TaskEngineError)
    return { name: error.name, message, code: error.code };
  return { name: error instanceof RangeError ? "RangeError" : "Error", message, code: null };
}

/** Creates the error that a message describes. */
export function decodeError(value: unknown): Error {
  const { name, message: text, code } = isJsonObject(value) ? value : {};
  const message = typeof text === "string" ? text : "Unknown error";
  if (name === "StoreError" && (code === "full" || code === "share" || code === "too-large"))
    return new StoreError(code, message);
  if (name === "TaskEngineError" && (code === "full" || code === "unavailable"))
    return new TaskEngineError(code, message);
  return name === "RangeError" ? new RangeError(message) : new Error(message);
}

/** Maximum length of an error message in UTF-16 code units. */
const MAX_MESSAGE = 2_000;
