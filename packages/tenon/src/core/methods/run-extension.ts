/**
 * @fileoverview Runs extension methods.
 * @module tenon/core/methods/run-extension
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { ExtensionMethod } from "../definitions/extension.js";
import type { Incoming } from "../call/incoming.js";
import { type OperationKind, runOperation, type Runnable } from "../call/operation.js";
import type { McpResponse } from "../wire/response.js";
import { failWithError } from "../call/failure.js";

/** Runs an extension method with the same limits, cancellation, and error handling as built-in methods. */
export function runExtension(method: ExtensionMethod, incoming: Incoming): MaybePromise<McpResponse> {
  const entry = { name: incoming.method, deadlineMs: undefined, handler: method.handler };
  return runOperation({ kind: EXTENSION, entry, args: incoming.params ?? {}, incoming });
}

interface ExtensionEntry extends Runnable {
  readonly handler: ExtensionMethod["handler"];
}

const EXTENSION: OperationKind<ExtensionEntry, JsonObject> = {
  noun: "Method",
  run: (entry, params, call) => entry.handler(params as JsonObject, call), // Safe: passed to `runOperation` above
  encode: (_entry, result, { encoder }) => encoder.custom(result),
  fail: (entry, error, incoming) => failWithError(entry.name, error, incoming),
};
