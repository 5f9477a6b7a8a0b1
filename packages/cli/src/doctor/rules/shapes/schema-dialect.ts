/**
 * @fileoverview Rule `schema-dialect`: schemas declare another dialect than JSON Schema 2020-12.
 * @module cli/doctor/rules/shapes/schema-dialect
 */
import type { JsonObject } from "@tenon/internal/json";
import type { ToolFact } from "../../facts/facts.js";
import { countOthers, placeOf, show } from "../../facts/place.js";
import type { SchemaNode } from "../../facts/schema-nodes.js";
import type { Problem, Rule, Severity } from "../../rule.js";

/** Reports schemas that declare another dialect. One finding for all input schemas, and two for output schemas. */
export const schemaDialect: Rule = {
  id: "schema-dialect",
  severity: "info",
  title: "Outdated JSON Schema dialect",
  *check({ tools }) {
    const inputs = tools.filter(({ input }) => isOther(dialectOf(input)));
    const outputs = tools.filter(({ output }) => isOther(dialectOf(output)));
    const unknown = outputs.filter(({ output }) => !isOld(dialectOf(output)));
    const effect = "Clients that support only JSON Schema 2020-12 ignore or reject the schema.";
    yield* toProblems(inputs, "inputSchema", { effect, severity: "info" });
    yield* toProblems(unknown, "outputSchema", {
      effect: "Clients with the official SDK do not know it, and reject the results of the tool.",
      severity: "error",
    });
    yield* toProblems(
      outputs.filter((tool) => !unknown.includes(tool)),
      "outputSchema",
      {
        effect: "Clients that support only JSON Schema 2020-12 reject the results of the tool.",
        severity: "warning",
      },
    );
  },
};

const CURRENT = "https://json-schema.org/draft/2020-12/schema";

/** Returns the declared dialect, without the parts that do not matter. */
function dialectOf(schema: JsonObject | undefined): string | undefined {
  const dialect = schema?.["$schema"];
  return typeof dialect === "string" ? dialect.replace(/#$/, "").replace(/^http:/, "https:") : undefined;
}

function isOther(dialect: string | undefined): boolean {
  return dialect !== undefined && dialect !== CURRENT;
}

/** Returns true for the older dialects that the newest official SDK supports as well. */
function isOld(dialect: string | undefined): boolean {
  return /^https:\/\/json-schema\.org\/(?:draft\/2019-09|draft-0[67])\/schema$/.test(dialect ?? "");
}

interface Effect {
  readonly effect: string;
  readonly severity: Severity;
}

function* toProblems(
  tools: readonly ToolFact[],
  key: "inputSchema" | "outputSchema",
  { effect, severity }: Effect,
): Iterable<Problem> {
  const [first] = tools;
  if (first === undefined) return;
  const { schema, nodes } =
    key === "inputSchema"
      ? { schema: first.input, nodes: first.inputNodes }
      : { schema: first.output, nodes: first.outputNodes };
  const dialect = String(schema?.["$schema"]);
  const others =
    tools.length === 1
      ? ""
      : ` The schemas of ${countOthers(tools.length - 1, "tool")} declare another dialect than 2020-12 too.`;
  yield {
    place: placeOf(first.place, key, "$schema"),
    severity,
    message: `The schema declares the dialect ${show(dialect)}.${others} ${effect}`,
    fix: `Generate the schema for ${CURRENT}, or remove \`$schema\`.`,
    ...(isSameInBoth(nodes) ? { edit: { from: dialect, to: CURRENT } } : {}),
  };
}

/** Returns true if a schema means the same in the old and in the current dialect. */
function isSameInBoth(nodes: readonly SchemaNode[]): boolean {
  return nodes.every(
    ({ schema }) =>
      typeof schema === "boolean" ||
      (!Array.isArray(schema["items"]) && OLD_KEYWORDS.every((keyword) => schema[keyword] === undefined)),
  );
}

const OLD_KEYWORDS = ["additionalItems", "dependencies", "$recursiveRef", "$recursiveAnchor", "id"];
