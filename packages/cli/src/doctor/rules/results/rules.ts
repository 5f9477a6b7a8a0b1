/**
 * @fileoverview Rules for the results of calls.
 * @module cli/doctor/rules/results/rules
 */
import { rulesFor } from "../../item-rule.js";
import { canonicalJson, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import type { ToolFact } from "../../facts/facts.js";
import type { Rule } from "../../rule.js";
import { placeOf } from "../../facts/place.js";

/** Defines a rule for every call. */
const callRule = /* @__PURE__ */ rulesFor(({ calls = [] }) => calls);

/** Rules for the results of calls, in the order of the documentation. */
export const RESULT_RULES: readonly Rule[] = [
  // Reports results that Claude Code rejects.
  callRule({
    id: "result-size",
    severity: "error",
    title: "Result over 25,000 tokens",
    needs: "calls",
    find: ({ result, tool }) => {
      const size = sizeOf(result);
      return size > Math.max(MAX_CHARACTERS, ownLimit(tool)) && size;
    },
    message: (_, size) =>
      `The result has ${size} characters (limit: ${MAX_CHARACTERS}, about 25000 tokens). Claude Code rejects it.`,
    fix: "Return pages with a limit and a cursor, return less per entry, or return a link to a resource.",
  }),
  // Reports results in which models of some clients see less than those of others.
  {
    id: "structured-content",
    severity: "warning",
    title: "Structured content without equal content",
    needs: "calls",
    *check({ calls = [] }) {
      for (const { result, place } of calls) {
        const { structuredContent: structured, isError } = result;
        if (structured === undefined || isError === true) continue;
        const texts = textsOf(result);
        if (isEqualContent(structured, texts)) continue;
        const isEmpty = texts.every((text) => text.trim() === "");
        yield {
          place: placeOf(place, "structuredContent"),
          severity: isEmpty ? "error" : "warning",
          message: isEmpty
            ? "The result has structured content, but no text. In clients that pass only text to the model, the result is empty."
            : "The text differs from the structured content. Some clients pass only the one to the model, and some only the other.",
          fix: "Return the same data in both: `structuredContent`, and its JSON in a text block.",
        };
      }
    },
  },
  // Reports results without the structured content that the tool declares.
  callRule({
    id: "output-missing",
    severity: "error",
    title: "Declared structured content is missing",
    needs: "calls",
    find: ({ result, tool }) =>
      tool?.output !== undefined && result["isError"] !== true && result["structuredContent"] === undefined,
    place: ({ place }) => placeOf(place, "structuredContent"),
    message:
      "The tool declares an output schema, but its result has no structured content. Clients with the official SDK reject the result.",
    fix: "Return `structuredContent` that matches the output schema, or remove the output schema.",
  }),
];

/** Largest result in characters: 25,000 tokens with 4 characters each, which is a low estimate of the tokens. */
const MAX_CHARACTERS = 100_000;

/** Returns the size of the text that a model reads: the structured content or the text blocks. */
function sizeOf(result: JsonObject): number {
  const { structuredContent } = result;
  const structured = structuredContent === undefined ? 0 : JSON.stringify(structuredContent).length;
  return Math.max(structured, textsOf(result).join("\n").length);
}

/** Returns the limit that a tool declares for Claude Code, in characters. */
function ownLimit(tool: ToolFact | undefined): number {
  const meta = tool?.raw["_meta"];
  const limit = isJsonObject(meta) ? meta["anthropic/maxResultSizeChars"] : undefined;
  return typeof limit === "number" ? limit : 0;
}

/** Returns the texts in a result's content blocks. */
function textsOf(result: JsonObject): readonly string[] {
  const { content } = result;
  const blocks = Array.isArray(content) ? (content as unknown[]).filter(isJsonObject) : [];
  return blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
}

/** Returns true if the texts contain the same data as the structured content. */
function isEqualContent(structured: unknown, texts: readonly string[]): boolean {
  const expected = canonicalJson(structured);
  if (texts.some((text) => isJsonOf(text, expected))) return true;
  // Servers wrap values that are not objects in `{ "result": … }`, and send the value itself as text.
  if (!isJsonObject(structured) || Object.keys(structured).join() !== "result") return false;
  const { result: value } = structured;
  const isValue = (text: string, one: unknown) => text === one || isJsonOf(text, canonicalJson(one));
  if (texts.some((text) => isValue(text, value))) return true;
  if (!Array.isArray(value)) return false;
  return texts.length === value.length && texts.every((text, index) => isValue(text, value[index]));
}

function isJsonOf(text: string, expected: string): boolean {
  const parsed = readJson(text);
  return parsed !== undefined && canonicalJson(parsed) === expected;
}
