/**
 * @fileoverview Answers from the command line: `--answer name=value`, a JSON object, or an action.
 * @module cli/answers/given-answers
 */
import type { JsonObject } from "@tenon/internal/json";
import { usageError } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/text";
import { parseJsonObject } from "../call-arguments.js";

/** Actions that answer a whole request. */
export type AnswerAction = "accept" | "decline" | "cancel";

/** Answers from the command line. */
export interface GivenAnswers {
  /** Action for every request. */
  readonly action: AnswerAction | undefined;
  /** Values as text, by field. They are converted to their field's type. */
  readonly texts: ReadonlyMap<string, string>;
  /** Values from JSON, by field. */
  readonly values: JsonObject;
}

/** Parses the values of `--answer`. @throws {CliError} */
export function parseAnswers(words: readonly string[]): GivenAnswers {
  const texts = new Map<string, string>();
  let values: JsonObject = {};
  let action: AnswerAction | undefined;
  for (const word of words) {
    const at = word.indexOf("=");
    if (isAction(word)) {
      if (action !== undefined)
        throw usageError("Use only one of --answer accept, --answer decline, and --answer cancel.");
      action = word;
    } else if (word.startsWith("{")) values = { ...values, ...parseJsonObject(word, "--answer") };
    else if (at > 0) texts.set(word.slice(0, at), word.slice(at + 1));
    else {
      throw usageError(
        `--answer must be name=value, a JSON object, accept, decline, or cancel; got "${oneLine(word, 40)}".`,
      );
    }
  }
  return { action, texts, values };
}

function isAction(word: string): word is AnswerAction {
  return word === "accept" || word === "decline" || word === "cancel";
}
