/**
 * @fileoverview Completions for prompt arguments and resource template variables.
 * @module tenon/core/definitions/completion
 */
import { isJsonObject } from "@tenon/internal/json";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { Completion } from "../../protocol/content.js";
import { kindOf } from "@tenon/internal/kind-of";

/**
 * Suggests values for an argument. `typed` is the user's text so far, and `others` holds the arguments already filled
 * in. Clients receive at most 100 of the values.
 */
export type Completer = (
  typed: string,
  others: Readonly<Record<string, string>>,
) => MaybePromise<readonly string[] | Completion>;

/** Completers by argument or variable name. Names without a completer get an empty list. */
export type Completers<Name extends string> = { readonly [Key in Name]?: Completer };

/** Client request for suggestions. */
export interface CompletionRequest {
  /** Name of the argument or variable to complete. */
  readonly argument: string;
  /** Text that the user has typed so far. */
  readonly typed: string;
  /** Arguments already filled in, as the client sent them: `{ arguments: { … } }`. */
  readonly context: unknown;
}

/** Runs the argument's completer. Returns an empty list if none is defined. */
export function runCompleter(
  completers: Completers<string>,
  { argument, typed, context }: CompletionRequest,
): MaybePromise<Completion> {
  const completer = Object.hasOwn(completers, argument) ? completers[argument] : undefined;
  if (completer === undefined) return { values: [], hasMore: false };
  return andThen(completer(typed, readOthers(context)), (suggested) => bound(argument, suggested));
}

/** Maximum number of values that MCP allows in one response. */
const MAX_VALUES = 100;

function bound(argument: string, suggested: readonly string[] | Completion): Completion {
  const completion: Completion = isList(suggested) ? { values: suggested } : suggested;
  const { values } = isJsonObject(completion) ? completion : { values: undefined };
  if (!Array.isArray(values)) {
    throw new TypeError(
      `The completer for "${argument}" must return an array of strings or an object with \`values\`; ` +
        `got ${kindOf(suggested)}.`,
    );
  }
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
