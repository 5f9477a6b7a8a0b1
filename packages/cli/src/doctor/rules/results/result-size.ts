/**
 * @fileoverview Rule `result-size`: the result of a tool is too large for a client.
 * @module cli/doctor/rules/results/result-size
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ToolFact } from "../../facts/facts.js";
import type { Rule } from "../../rule.js";
import { textsOf } from "./content.js";

/** Reports results that Claude Code rejects. */
export const resultSize: Rule = {
  id: "result-size",
  severity: "error",
  title: "Result over 25,000 tokens",
  needs: "calls",
  *check({ calls = [] }) {
    for (const { result, tool, place } of calls) {
      const size = sizeOf(result);
      if (size <= Math.max(MAX_CHARACTERS, ownLimit(tool))) continue;
      yield {
        place,
        message: `The result has ${size} characters (limit: ${MAX_CHARACTERS}, about 25000 tokens). Claude Code rejects it.`,
        fix: "Return pages with a limit and a cursor, return less per entry, or return a link to a resource.",
      };
    }
  },
};

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
