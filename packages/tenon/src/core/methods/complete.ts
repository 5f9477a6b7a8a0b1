/**
 * @fileoverview Handles `completion/complete`.
 * @module core/methods/complete
 */
import { isJsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Completion } from "../../protocol/index.js";
import { type Completers, runCompleter } from "../definitions/completion.js";
import { type Incoming, refuse } from "../call/incoming.js";
import { isAllowed } from "../snapshot/lists.js";
import { type OperationKind, runOperation, type Runnable } from "../call/operation.js";
import type { McpResponse } from "../wire/response.js";
import type { Snapshot } from "../snapshot/snapshot.js";
import { failWithError } from "../call/failure.js";

/** Runs the completer for a prompt argument or template variable. */
export function complete(incoming: Incoming, snapshot: Snapshot): MaybePromise<McpResponse> {
  const { ref, argument, context } = incoming.params ?? {};
  if (!isJsonObject(ref) || !isJsonObject(argument)) {
    return refuse(incoming, "INVALID_PARAMS", "invalid params: ref and argument must be objects");
  }
  const { name, value } = argument;
  if (typeof name !== "string" || typeof value !== "string") {
    return refuse(
      incoming,
      "INVALID_PARAMS",
      "invalid params: argument.name and argument.value must be strings",
    );
  }
  const completers = findCompleters(ref, incoming, snapshot);
  if (completers === undefined) {
    return refuse(incoming, "INVALID_PARAMS", "invalid params: ref does not match a prompt or resource");
  }
  const entry = { name, deadlineMs: undefined, completers, typed: value, context };
  return runOperation({ kind: COMPLETION, entry, args: {}, incoming });
}

interface CompletionEntry extends Runnable {
  readonly completers: Completers<string>;
  readonly typed: string;
  readonly context: unknown;
}

const COMPLETION: OperationKind<CompletionEntry, Completion> = {
  noun: "Completion",
  run: ({ completers, name, typed, context }) => runCompleter(completers, { argument: name, typed, context }),
  encode: (_entry, completion, { encoder }) => encoder.completion(completion),
  fail: (entry, error, incoming) => failWithError(entry.name, error, incoming),
};

function findCompleters(
  ref: { readonly [key: string]: unknown },
  { exchange }: Incoming,
  snapshot: Snapshot,
): Completers<string> | undefined {
  if (ref["type"] === "ref/prompt" && typeof ref["name"] === "string") {
    const prompt = snapshot.prompts.get(ref["name"]);
    return prompt !== undefined && isAllowed(prompt, exchange?.auth) ? prompt.complete : undefined;
  }
  if (ref["type"] !== "ref/resource") return undefined;
  const template = snapshot.templates.find((one) => one.definition.uriTemplate === ref["uri"]);
  if (template !== undefined) return isAllowed(template, exchange?.auth) ? template.complete : undefined;
  return typeof ref["uri"] === "string" && snapshot.resources.has(ref["uri"]) ? {} : undefined;
}
