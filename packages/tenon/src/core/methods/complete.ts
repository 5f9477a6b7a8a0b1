/**
 * @fileoverview Handles `completion/complete`.
 * @module tenon/core/methods/complete
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Completion } from "../../protocol/content.js";
import { type Completers, runCompleter } from "../definitions/completion.js";
import { type Incoming, refuse } from "../call/incoming.js";
import { isAllowed } from "../wire/access.js";
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
  const found = findReferenced(ref, snapshot);
  // Prompts and resources that the principal may not see are reported like those that do not exist.
  if (found === undefined || !isAllowed(found, incoming.exchange?.auth)) {
    return refuse(incoming, "INVALID_PARAMS", "invalid params: ref does not match a prompt or resource");
  }
  const completers = found.complete ?? {};
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

/** Prompt, template, or resource that a completion refers to. Resources do not have completers. */
interface Referenced {
  readonly scopes: readonly string[];
  readonly complete?: Completers<string>;
}

function findReferenced(ref: JsonObject, snapshot: Snapshot): Referenced | undefined {
  const { type, name, uri } = ref;
  if (type === "ref/prompt") return typeof name === "string" ? snapshot.prompts.get(name) : undefined;
  if (type !== "ref/resource" || typeof uri !== "string") return undefined;
  const template = snapshot.templates.find((one) => one.definition.uriTemplate === uri);
  return template ?? snapshot.resources.get(uri);
}
