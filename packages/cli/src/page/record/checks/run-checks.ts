/**
 * @fileoverview Checks a recorded call: its messages and headers, its arguments, and its result.
 * @module cli/page/record/checks/run-checks
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";
import { toFacts } from "../../../doctor/facts/facts.js";
import { RESULT_RULES } from "../../../doctor/rules/results/rules.js";
import type { Rule } from "../../../doctor/rule.js";
import type { Check, Problem } from "../../protocol.js";
import { findProblems } from "../../schema/find-problems.js";
import type { CheckedCall } from "./checked-call.js";
import { checkMessages } from "./message-checks.js";

/** Runs all checks that apply to a call. */
export function runChecks(call: CheckedCall): readonly Check[] {
  const messages = checkMessages(call);
  return call.method === "tools/call" ? [...messages, ...checkTool(call)] : messages;
}

function checkTool(call: CheckedCall): readonly Check[] {
  const { tool, params, result } = call;
  if (tool === undefined)
    return [
      { title: "Tool is in the list", status: "warning", detail: "The server does not list this tool." },
    ];
  const isFinal = result !== undefined && (result["resultType"] ?? "complete") === "complete";
  return [
    checkSchema("Arguments match the input schema", tool["inputSchema"], params?.["arguments"] ?? {}),
    ...(isFinal ? checkResult(call, tool, result) : []),
  ];
}

function checkResult(call: CheckedCall, tool: JsonObject, result: JsonObject): readonly Check[] {
  const { structuredContent: structured, isError } = result;
  const output = tool["outputSchema"];
  const isChecked = isJsonObject(output) && structured !== undefined && isError !== true;
  return [
    ...(isChecked ? [checkSchema("Structured content matches the output schema", output, structured)] : []),
    ...RESULT_CHECKS.flatMap(({ title, rule, applies }) =>
      applies(output, structured) ? [checkRule(title, rule, { call, tool, result })] : [],
    ),
  ];
}

/** Rule of `tenon doctor` as a check. */
interface ResultCheck {
  readonly title: string;
  readonly applies: (output: unknown, structured: unknown) => boolean;
}

/** Checks by the ID of their rule. */
const CHECKS: Readonly<Record<string, ResultCheck>> = {
  "output-missing": { title: "Result has the declared structured content", applies: isJsonObject },
  "structured-content": {
    title: "Content and structured content are equal",
    applies: (_output, structured) => structured !== undefined,
  },
  "result-size": { title: "Result fits into a model's context", applies: () => true },
};

const RESULT_CHECKS = /* @__PURE__ */ Object.entries(CHECKS).flatMap(([id, check]) =>
  RESULT_RULES.filter((rule) => rule.id === id).map((rule) => ({ ...check, rule })),
);

interface CalledTool {
  readonly call: CheckedCall;
  readonly tool: JsonObject;
  readonly result: JsonObject;
}

function checkRule(title: string, { severity, check }: Rule, { call, tool, result }: CalledTool): Check {
  const none = { items: [] };
  const facts = toFacts({
    server: {},
    revision: call.revision ?? "",
    capabilities: {},
    lists: { tools: { items: [tool] }, resources: none, resourceTemplates: none, prompts: none },
    calls: [{ tool: String(tool["name"]), result }],
  });
  for (const problem of check(facts)) {
    const status = (problem.severity ?? severity) === "error" ? "failed" : "warning";
    return { title, status, detail: `${problem.message} ${problem.fix}` };
  }
  return { title, status: "ok" };
}

function checkSchema(title: string, schema: unknown, value: unknown): Check {
  if (!isJsonObject(schema)) return { title, status: "not-checked", detail: "The tool has no such schema." };
  const outcome = findProblems(schema, value);
  if (!outcome.ok) return { title, status: "not-checked", detail: outcome.reason };
  if (outcome.problems.length === 0) return { title, status: "ok" };
  return { title, status: "failed", detail: outcome.problems.slice(0, MAX_SHOWN).map(describe).join(" ") };
}

const MAX_SHOWN = 5;

function describe({ path, message }: Problem): string {
  return oneLine(path.length === 0 ? message : `${path.join(".")}: ${message}`, 300);
}
