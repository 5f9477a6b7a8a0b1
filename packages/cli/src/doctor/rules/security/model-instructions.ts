/**
 * @fileoverview Rule `model-instructions`: a definition tries to control the model.
 * @module cli/doctor/rules/security/model-instructions
 */
import { clean } from "@tenon/internal/security/safe-text";
import { show } from "../../facts/place.js";
import { listTexts } from "../../facts/strings.js";
import type { Rule } from "../../rule.js";

/** Reports phrases that override other instructions, keep something from the user, or displace other tools. */
export const modelInstructions: Rule = {
  id: "model-instructions",
  severity: "warning",
  title: "Instructions that manipulate the model",
  *check(facts) {
    for (const { text, place, isName } of listTexts(facts)) {
      if (isName) continue;
      const found = findPhrase(text);
      if (found === undefined) continue;
      yield {
        place,
        message: `The text ${found.effect}: ${show(clean(found.phrase))}. Security scanners and reviewers treat this as tool poisoning.`,
        fix: "Describe what the tool does and when it is useful, and leave the choice to the model and the user.",
      };
    }
  },
};

interface Phrase {
  readonly effect: string;
  readonly phrase: string;
}

/** Finds the first phrase that manipulates a model. Only the start of a long text is searched. */
export function findPhrase(text: string): Phrase | undefined {
  const start = text.slice(0, MAX_SEARCHED);
  for (const [effect, pattern] of PATTERNS) {
    const found = pattern.exec(start);
    if (found !== null) return { effect, phrase: found[0] };
  }
  return undefined;
}

const MAX_SEARCHED = 20_000;

/** Phrases by effect. Every repetition is bounded, because the text comes from a server. */
const PATTERNS: readonly (readonly [string, RegExp])[] = [
  [
    "overrides other instructions",
    /\b(?:ignore|disregard|forget)\s{1,3}(?:(?:all|any|the|your|these|those)\s{1,3}){0,2}(?:previous|prior|earlier|above|preceding|system|other)\s{1,3}(?:instructions?|prompts?|rules|guidelines|tools)\b/i,
  ],
  [
    "keeps something from the user",
    /\b(?:do not|don't|never|without)\s{1,3}(?:tell|telling|mention|mentioning|inform|informing|notify|notifying)\s{1,3}(?:(?:this|it|that|about)\s{1,3}){0,2}(?:to\s{1,3})?(?:the\s{1,3})?users?\b(?![-'’])/i,
  ],
  [
    "displaces other tools",
    /\b(?:instead of|rather than|in preference to|before (?:using|calling|trying))\s{1,3}(?:any|all|every|the)\s{1,3}(?:other|built-?in|native)\s{1,3}(?:\w{1,20}\s{1,3}){0,2}tools?\b/i,
  ],
  ["contains a block of hidden instructions", /<(important|system|secret|hidden)>[^<]{1,4000}<\/\1>/i],
];
