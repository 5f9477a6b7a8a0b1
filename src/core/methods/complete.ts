/**
 * @fileoverview `completion/complete`.
 * @module core/methods/complete
 */
import { isJsonObject } from "../../internal/json.js";
import { isPromise, type MaybePromise } from "../../internal/maybe-promise.js";
import type { Completion } from "../../protocol/index.js";
import { type Completers, runCompleter } from "../completion.js";
import { type Incoming, refuse } from "../incoming.js";
import { isAllowed } from "../lists.js";
import { type McpResponse, resultResponse } from "../response.js";
import type { Snapshot } from "../snapshot.js";
import { failWithError } from "../failure.js";

/** Suggests values for an argument. */
export function complete(incoming: Incoming, snapshot: Snapshot): MaybePromise<McpResponse> {
  const { ref, argument, context } = incoming.params ?? {};
  if (!isJsonObject(ref) || !isJsonObject(argument)) {
    return refuse(incoming, "INVALID_PARAMS", "invalid params: ref and argument are required");
  }
  const { name, value } = argument;
  if (typeof name !== "string" || typeof value !== "string") {
    return refuse(incoming, "INVALID_PARAMS", "invalid params: argument needs a name and a value");
  }
  const completers = findCompleters(ref, incoming, snapshot);
  if (completers === undefined) return refuse(incoming, "INVALID_PARAMS", "ref points to nothing here");
  const reply = (completion: Completion) =>
    resultResponse(incoming.id, incoming.encoder.completion(completion));
  const fail = (error: unknown) => failWithError(name, error, incoming);
  try {
    const completion = runCompleter(completers, name, value, context);
    return isPromise(completion) ? completion.then(reply).catch(fail) : reply(completion);
  } catch (error) {
    return fail(error);
  }
}

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
