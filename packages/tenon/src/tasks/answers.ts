/**
 * @fileoverview Checks a client's answers against the open questions of a task. A handler's own schema checks them again
 * when the handler runs.
 * @module tenon/tasks/answers
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { printable } from "@tenon/internal/text";
import { actionProblem, rootsProblem, samplingProblem } from "../core/call/answer-checks.js";
import { checkForm } from "../core/call/forms.js";
import { describeIssues } from "../schema/issues.js";
import type { TaskQuestion } from "./state/record.js";

/** Describes the first invalid answer. Returns `undefined` if all are valid. Answers without a question are ignored. */
export function findInvalidAnswer(
  questions: Readonly<Record<string, TaskQuestion>>,
  given: JsonObject,
): string | undefined {
  for (const [key, question] of Object.entries(questions)) {
    const problem = Object.hasOwn(given, key) ? problemOf(question, given[key]) : undefined;
    if (problem !== undefined) return `The response to "${printable(key)}" is invalid: ${problem}.`;
  }
  return undefined;
}

function problemOf({ method, params }: TaskQuestion, answer: unknown): string | undefined {
  switch (method) {
    case "sampling/createMessage":
      return samplingProblem(answer);
    case "roots/list":
      return rootsProblem(answer);
    default:
      return actionProblem(answer) ?? contentProblem(params["requestedSchema"], answer);
  }
}

function contentProblem(schema: unknown, answer: unknown): string | undefined {
  if (!isJsonObject(schema) || !isJsonObject(answer) || answer["action"] !== "accept") return undefined;
  const { issues } = checkForm(schema, answer["content"] ?? {});
  return issues && describeIssues(issues);
}
