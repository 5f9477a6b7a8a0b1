/**
 * @fileoverview Rule `hidden-characters`: a definition contains characters that users cannot see.
 * @module cli/doctor/rules/security/hidden-characters
 */
import {
  findHidden,
  type HiddenCharacter,
  type HiddenKind,
  removeHidden,
} from "../../facts/hidden-characters.js";
import { nameCodePoint } from "../../facts/place.js";
import { listTexts } from "../../facts/strings.js";
import type { Rule } from "../../rule.js";

/** Reports control, bidirectional, zero-width, and tag characters in all texts of a server. */
export const hiddenCharacters: Rule = {
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
};

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
