/**
 * @fileoverview Methods that extensions add.
 * @module core/methods/run-extension
 */
import type { JsonObject } from "../../internal/json.js";
import type { MaybePromise } from "../../internal/maybe-promise.js";
import type { ExtensionMethod } from "../extension.js";
import type { Incoming } from "../incoming.js";
import { type OperationKind, runOperation, type Runnable } from "../operation.js";
import type { McpResponse } from "../response.js";
import { failWithError } from "../failure.js";

/** Runs an extension's method; cancellation and failures are those of any operation. */
export function runExtension(method: ExtensionMethod, incoming: Incoming): MaybePromise<McpResponse> {
  const entry = { name: incoming.method, deadlineMs: undefined, handler: method.handler };
  return runOperation(EXTENSION, entry, incoming.params ?? {}, incoming);
}

interface ExtensionEntry extends Runnable {
  readonly handler: ExtensionMethod["handler"];
}

const EXTENSION: OperationKind<ExtensionEntry, JsonObject> = {
  noun: "Method",
  run: (entry, params, call) => entry.handler(params as JsonObject, call), // what `runOperation` was given above
  encode: (_entry, result, { encoder }) => encoder.custom(result),
  fail: (entry, error, incoming) => failWithError(entry.name, error, incoming),
};
