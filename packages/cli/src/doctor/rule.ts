/**
 * @fileoverview Rules and their findings.
 * @module cli/doctor/rule
 */
import type { Facts } from "./facts/facts.js";

/**
 * Severity of a finding. An `error` breaks a known client, hides text from the user, or exposes a secret. A `warning`
 * breaks some clients or models, or makes a tool hard to use. An `info` is advice.
 */
export type Severity = "error" | "warning" | "info";

/** Severities, most severe first. */
export const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];

/** Replacement of one text in a definition, which `--fix` applies to the source. */
export interface TextEdit {
  /** Text in the definition. */
  readonly from: string;
  /** Text to write instead. */
  readonly to: string;
}

/** Problem that a rule found. */
export interface Problem {
  /** Path to the definition, such as `tools.add.inputSchema`. */
  readonly place: string;
  /** Sentence that states what is wrong. */
  readonly message: string;
  /** Sentence that states how to fix it. */
  readonly fix: string;
  /** @default the rule's severity */
  readonly severity?: Severity;
  /** Change that fixes the problem without changing the behavior of the server. */
  readonly edit?: TextEdit;
}

/** Rule that checks a server. */
export interface Rule {
  /** Name of the rule, of its documentation page, and of its fixture. */
  readonly id: string;
  readonly severity: Severity;
  /** Short description of the problem. */
  readonly title: string;
  /** Facts that the rule requires, unless every server has them. */
  readonly needs?: "calls" | "settings";
  /** Finds problems. Pure: the result depends only on the facts. */
  readonly check: (facts: Facts) => Iterable<Problem>;
}

/** Problem with the rule that found it. */
export interface Finding extends Problem {
  readonly rule: string;
  readonly severity: Severity;
}

/** Returns the address of a rule's documentation page. */
export function docsUrl(rule: string): string {
  return `https://github.com/tenon-mcp/tenon/blob/main/docs/doctor/${rule}.md`;
}
