/**
 * @fileoverview Rule `structured-content`: the content of a result differs from its structured content.
 * @module cli/doctor/rules/results/structured-content
 */
import { placeOf } from "../../facts/place.js";
import type { Rule } from "../../rule.js";
import { isEqualContent, textsOf } from "./content.js";

/** Reports results in which models of some clients see less than those of others. */
export const structuredContent: Rule = {
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
};
