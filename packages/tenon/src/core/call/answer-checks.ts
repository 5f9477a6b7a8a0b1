/**
 * @fileoverview Checks of a client's responses to the server's requests. Each function returns what is wrong, or
 * `undefined` if the response is valid.
 * @module tenon/core/call/answer-checks
 */
import { isJsonObject } from "@tenon/internal/json";

/** Checks the `action` of a response to an elicitation. */
export function actionProblem(answer: unknown): string | undefined {
  const action = isJsonObject(answer) ? answer["action"] : undefined;
  return action === "accept" || action === "decline" || action === "cancel"
    ? undefined
    : 'expected `action` to be "accept", "decline", or "cancel"';
}

/** Checks a completion from the client's model. */
export function samplingProblem(answer: unknown): string | undefined {
  const { role, content, model } = isJsonObject(answer) ? answer : {};
  const isValid =
    typeof role === "string" &&
    typeof model === "string" &&
    (isJsonObject(content) || Array.isArray(content));
  return isValid ? undefined : "expected an object with `role`, `content`, and `model`";
}

/** Checks a list of roots. */
export function rootsProblem(answer: unknown): string | undefined {
  const roots = isJsonObject(answer) ? answer["roots"] : undefined;
  return Array.isArray(roots) && roots.every((root) => isJsonObject(root) && typeof root["uri"] === "string")
    ? undefined
    : "expected an object with a `roots` array whose items have a `uri`";
}
