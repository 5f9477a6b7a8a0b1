/**
 * @fileoverview Completions for the arguments of prompts and the variables of resource templates.
 * @module core/completion
 */
import { isJsonObject } from "@tenon/internal/json";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { Completion } from "../../protocol/index.js";

/** Suggests values for an argument. `typed` is the user's text so far; `others` are the arguments already filled in. */
export type Completer = (
  typed: string,
  others: Readonly<Record<string, string>>,
) => MaybePromise<readonly string[] | Completion>;

/** Completers by argument name. */
export type Completers<Name extends string> = { readonly [Key in Name]?: Completer };

/** Request for suggestions. */
export interface CompletionRequest {
  /** Name of the argument. */
  readonly argument: string;
  /** Text that the user has typed so far. */
  readonly typed: string;
  /** Arguments already filled in, as the client sent them: `{ arguments: { … } }`. */
  readonly context: unknown;
}

/** Runs the completer of an argument. Returns no values if the argument has no completer. */
export function runCompleter(
  completers: Completers<string>,
  { argument, typed, context }: CompletionRequest,
): MaybePromise<Completion> {
  const completer = Object.hasOwn(completers, argument) ? completers[argument] : undefined;
  if (completer === undefined) return { values: [] };
  return andThen(completer(typed, readOthers(context)), bound);
}

/** Maximum number of values in one response, as specified by MCP. */
const MAX_VALUES = 100;

function bound(suggested: readonly string[] | Completion): Completion {
  const completion: Completion = isList(suggested) ? { values: suggested } : suggested;
  const { values } = completion;
  if (!Array.isArray(values))
    throw new TypeError("A completer must return an array of strings or an object with `values`.");
  if (values.length <= MAX_VALUES) return completion;
  return { total: values.length, ...completion, values: values.slice(0, MAX_VALUES), hasMore: true };
}

function isList(suggested: readonly string[] | Completion): suggested is readonly string[] {
  return Array.isArray(suggested);
}

function readOthers(context: unknown): Readonly<Record<string, string>> {
  const others = isJsonObject(context) && isJsonObject(context["arguments"]) ? context["arguments"] : {};
  return Object.fromEntries(
    Object.entries(others).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
