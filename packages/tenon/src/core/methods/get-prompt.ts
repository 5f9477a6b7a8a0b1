/**
 * @fileoverview Handles `prompts/get`.
 * @module tenon/core/methods/get-prompt
 */
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { PromptResult } from "../../protocol/index.js";
import { describeIssues } from "../../schema/issues.js";
import { type Incoming, refuse } from "../call/incoming.js";
import { quoted } from "@tenon/internal/text";
import { admits } from "../wire/access.js";
import { type OperationKind, runOperation } from "../call/operation.js";
import type { PromptEntry } from "../definitions/prompt.js";
import type { McpResponse } from "../wire/response.js";
import type { Snapshot } from "../snapshot/snapshot.js";
import { readArguments } from "../definitions/tool.js";
import { ArgumentsError } from "../definitions/tool-errors.js";
import { failWithError } from "../call/failure.js";
import { isInstance } from "@tenon/internal/thrown";
import { logRejected } from "../wire/log.js";

/** Looks up a prompt, checks its arguments, and runs its handler. */
export function getPrompt(incoming: Incoming, snapshot: Snapshot): MaybePromise<McpResponse> {
  const { params, exchange } = incoming;
  if (params === undefined) return refuse(incoming, "INVALID_PARAMS", "params required");
  const name = params["name"];
  if (typeof name !== "string")
    return refuse(incoming, "INVALID_PARAMS", "invalid params: name must be a string");
  const entry = snapshot.prompts.get(name);
  // Prompts that the principal may not see are reported as unknown.
  if (entry === undefined || !admits(entry, exchange)) {
    return refuse(incoming, "INVALID_PARAMS", `Unknown prompt: ${quoted(name)}`);
  }
  const args = readArguments(params["arguments"]);
  if (args === undefined)
    return refuse(incoming, "INVALID_PARAMS", "invalid params: arguments must be an object");
  return runOperation({ kind: PROMPT, entry, args, incoming });
}

const PROMPT: OperationKind<PromptEntry, PromptResult> = {
  noun: "Prompt",

  run(entry, args, call) {
    return andThen(entry.check(args as Parameters<PromptEntry["check"]>[0]), (checked) => {
      if (checked.issues !== undefined) throw new ArgumentsError(describeIssues(checked.issues));
      return entry.run(checked.value, call);
    });
  },

  encode: (_entry, result, { encoder }) => encoder.promptResult(result),

  fail(entry, error, incoming) {
    if (isInstance(error, ArgumentsError)) {
      const { services, method: operation } = incoming;
      logRejected(services.log, { operation, name: entry.name, message: error.message });
      return refuse(incoming, "INVALID_PARAMS", `Validation failed: ${error.message}`);
    }
    return failWithError(entry.name, error, incoming);
  },
};
