/**
 * @fileoverview Rule `string-format`: an argument has a format that OpenAI's API does not know.
 * @module cli/doctor/rules/vendors/string-format
 */
import { listNames } from "../../facts/place.js";
import { typesOf } from "../../facts/schema-nodes.js";
import type { Rule } from "../../rule.js";

/** Reports formats of strings that OpenAI's API rejects. One finding per tool. */
export const stringFormat: Rule = {
  id: "string-format",
  severity: "warning",
  title: "Format that model APIs reject",
  *check({ tools }) {
    for (const { inputNodes } of tools) {
      const found = inputNodes.flatMap(({ schema, place }) => {
        if (typeof schema === "boolean" || !typesOf(schema).includes("string")) return [];
        const { format } = schema;
        return typeof format === "string" && !ACCEPTED.has(format) ? [{ format, place }] : [];
      });
      const [first] = found;
      if (first === undefined) continue;
      const names = listNames([...new Set(found.map(({ format }) => format))]);
      yield {
        place: first.place,
        message: `The input schema uses the format ${names}. OpenAI's and Gemini's APIs reject formats that they do not know.`,
        fix: "Remove `format`, state the form in the description, and check it in the handler.",
      };
    }
  },
};

/** Formats that OpenAI documents for tools. */
const ACCEPTED: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
]);
