/**
 * @fileoverview Rules that decide whether a tool call runs at once, waits for a user's approval, or is rejected.
 * @module agent/tools/approval-policy
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { custom } from "@tenon/internal/options/option-rows";
import type { ToolHints } from "tenon/protocol";
import type { AgentUser } from "../users/user.js";

/** Rule for a call: `auto` runs it, `ask` waits for a user's approval, and `deny` rejects it. */
export type ApprovalRule = "auto" | "ask" | "deny";

/** Call that a policy decides about. */
export interface ApprovalRequest {
  readonly taskId: string;
  readonly toolName: string;
  /** Validated parameters. */
  readonly params: JsonObject;
  /** Hints about the tool's behavior. Empty for tools of MCP servers that are not trusted. */
  readonly annotations: ToolHints | undefined;
  /** User whose message caused the call. `undefined` if the server does not identify users. */
  readonly user: AgentUser | undefined;
}

/** Rule, or function that returns one. If the function throws, the call is rejected. */
export type ApprovalPolicy = ApprovalRule | ((request: ApprovalRequest) => MaybePromise<ApprovalRule>);

/**
 * Returns the default rule. Tools with hints, such as the tools of MCP servers, ask unless they are read-only. Other
 * tools run at once, because the application's own code defines them.
 */
export function defaultRule(annotations: ToolHints | undefined): ApprovalRule {
  return annotations === undefined || annotations.readOnlyHint === true ? "auto" : "ask";
}

/** Evaluates a policy. @throws if its function throws or returns an unknown rule */
export async function evaluatePolicy(
  policy: ApprovalPolicy,
  request: ApprovalRequest,
): Promise<ApprovalRule> {
  const rule: unknown = typeof policy === "function" ? await policy(request) : policy;
  if (isApprovalRule(rule)) return rule;
  throw new TypeError(`The approval policy must return "auto", "ask", or "deny".`);
}

/** Option that takes a policy. */
export const APPROVAL_OPTION = /* @__PURE__ */ custom<ApprovalPolicy>({
  expected: '"auto", "ask", "deny", or a function',
  accepts: (value) => typeof value === "function" || isApprovalRule(value),
});

/** Returns true if a value is a rule. */
export function isApprovalRule(value: unknown): value is ApprovalRule {
  return value === "auto" || value === "ask" || value === "deny";
}
