/**
 * @fileoverview Rules for texts that harm or leak.
 * @module cli/doctor/rules/security/rules
 */
import { inputRule, rulesFor } from "../../item-rule.js";
import {
  findHidden,
  type HiddenCharacter,
  type HiddenKind,
  removeHidden,
} from "../../facts/hidden-characters.js";
import { nameCodePoint, show, placeOf } from "../../facts/place.js";
import { listTexts } from "../../facts/strings.js";
import type { Rule, Problem } from "../../rule.js";
import { clean } from "@tenon/internal/security/safe-text";
import { isJsonObject } from "@tenon/internal/json";
import { isSecretName } from "@tenon/internal/security/secret-names";
import type { Facts } from "../../facts/facts.js";
import { findCredential, isRandom } from "./find-secret.js";
import { typesOf } from "../../facts/schema-nodes.js";

/** Rules for texts that harm or leak, in the order of the documentation. */
export const SECURITY_RULES: readonly Rule[] = [
  // Reports control, bidirectional, zero-width, and tag characters in all texts of a server.
  {
    id: "hidden-characters",
    severity: "error",
    title: "Hidden characters",
    *check(facts) {
      for (const { text, place, isName } of listTexts(facts)) {
        const hidden = findHidden(text);
        const [first] = hidden;
        if (first === undefined) continue;
        yield {
          place,
          message: `${isName ? "The name of this member" : "The text"} contains ${describe(hidden, first)}. Users do not see them, but models read them.`,
          fix: "Remove the characters.",
          // The names of arguments and members are part of the server's interface.
          ...(isName ? {} : { edit: { from: text, to: removeHidden(text) } }),
        };
      }
    },
  },
  // Reports phrases that override other instructions, keep something from the user, or displace other tools.
  rulesFor(listTexts)({
    id: "model-instructions",
    severity: "warning",
    title: "Instructions that manipulate the model",
    find: ({ text, isName }) => (isName ? undefined : findPhrase(text)),
    message: (_, found) =>
      `The text ${found.effect}: ${show(clean(found.phrase))}. Security scanners and reviewers treat this as tool poisoning.`,
    fix: "Describe what the tool does and when it is useful, and leave the choice to the model and the user.",
  }),
  // Reports credentials in definitions. The message never contains the value.
  {
    id: "secret-value",
    severity: "error",
    title: "Credential in a definition",
    *check(facts) {
      const reported = new Set<string>();
      for (const { text, place, isName } of listTexts(facts)) {
        const kind = isName ? undefined : findCredential(text);
        if (kind === undefined) continue;
        reported.add(place);
        yield toProblem(place, `The text contains ${kind}.`);
      }
      for (const place of secretDefaults(facts)) {
        if (!reported.has(place))
          yield toProblem(place, "The default value of this credential looks like a real one.");
      }
    },
  },
  // Reports parameters for passwords, keys, and tokens, which models and logs see.
  inputRule({
    id: "secret-parameter",
    severity: "warning",
    title: "Credential as an argument",
    find: ({ schema, property = "" }) =>
      isSecretName(property, { isCertain: true }) && typesOf(schema).includes("string") && property,
    message: (_, property) =>
      `The argument ${show(property)} is a credential. The model, the conversation, and the client's logs contain its value.`,
    fix: "Read the credential from the environment or from the request's authorization, or ask the user for it.",
  }),
];

const KINDS: Readonly<Record<HiddenKind, string>> = {
  control: "control character",
  bidirectional: "bidirectional control character",
  "zero-width": "zero-width character",
  tag: "tag character",
  variation: "variation selector without a symbol",
};

function describe(hidden: readonly HiddenCharacter[], { codePoint, index, kind }: HiddenCharacter): string {
  const count = hidden.length === 1 ? "1 hidden character" : `${hidden.length} hidden characters`;
  return `${count}, first a ${KINDS[kind]} (${nameCodePoint(codePoint)}) at index ${index}`;
}

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

function toProblem(place: string, message: string): Problem {
  return {
    place,
    message: `${message} Every client and model receives it.`,
    fix: "Revoke the credential, remove it from the definition, and read it from the environment in the handler.",
  };
}

/** Finds parameters for credentials whose default value looks generated. */
function* secretDefaults({ tools }: Facts): Iterable<string> {
  for (const { schema, place, property = "" } of tools.flatMap(({ inputNodes }) => inputNodes)) {
    if (!isJsonObject(schema) || !isSecretName(property, { isCertain: true })) continue;
    const { default: value } = schema;
    if (typeof value === "string" && value.length >= MIN_SECRET && isRandom(value))
      yield placeOf(place, "default");
  }
}

/** Minimum length of a default value that is taken for a credential. */
const MIN_SECRET = 12;
