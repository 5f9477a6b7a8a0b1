/**
 * @fileoverview Text form of tool results for models without native calls, and its protection: text from users and
 * tools cannot contain the tag of a result.
 * @module agent/xml/tool-result
 */

/** Name of the tag that contains a tool's result. */
const RESULT_TAG = "tool_result";

/** Prints a result. Neither the tool's name nor the result can end the tag. */
export function printToolResult(toolName: string, content: string): string {
  const name = toolName.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return `<${RESULT_TAG} name="${name}">\n${escapeResultTags(content)}\n</${RESULT_TAG}>`;
}

/**
 * Escapes all tags of results in a text from a user or a tool, so that only the server can write them. Tags that merely
 * look like one are escaped too, because a model may not see the difference.
 */
export function escapeResultTags(text: string): string {
  return text.replace(LOOKALIKE, "&lt;");
}

/** Characters that a model may overlook: whitespace, punctuation in tags, invisible characters, and accents. */
const SKIPPED = String.raw`[\s\p{C}\p{M}/_.-]*`;
/** Distance between a letter and its full-width form. */
const FULL_WIDTH = 0xfee0;

/**
 * A less-than sign, in any of its forms, before the letters of the tag. A search from one sign stops at the next, so the
 * total time is linear.
 */
const LOOKALIKE = /* @__PURE__ */ new RegExp(
  `[<\uff1c\ufe64\u2039\u3008\u27e8](?=${SKIPPED}${toLetters("toolresult").join(SKIPPED)})`,
  "giu",
);

/** Returns a pattern for each letter that also matches its full-width form. */
function toLetters(word: string): readonly string[] {
  return word
    .split("")
    .map((letter) => `[${letter}${String.fromCharCode(letter.charCodeAt(0) + FULL_WIDTH)}]`);
}
