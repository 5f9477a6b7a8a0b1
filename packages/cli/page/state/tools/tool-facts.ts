/**
 * @fileoverview Facts about a tool that views show: its annotations, and the sum of its findings.
 * @module cli/page-app/state/tools/tool-facts
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Finding } from "../../../src/page/protocol.js";

/** Annotation of a tool, in words. */
export interface AnnotationFact {
  readonly name: string;
  readonly label: string;
  readonly meaning: string;
  readonly tone: "neutral" | "success" | "warning";
}

const HINTS: readonly {
  readonly name: string;
  readonly isTrue: Omit<AnnotationFact, "name">;
  readonly isFalse: Omit<AnnotationFact, "name">;
}[] = [
  {
    name: "readOnlyHint",
    isTrue: { label: "Read-only", meaning: "The tool does not change anything.", tone: "success" },
    isFalse: { label: "Changes data", meaning: "The tool can change data.", tone: "neutral" },
  },
  {
    name: "destructiveHint",
    isTrue: { label: "Destructive", meaning: "The tool can delete or overwrite data.", tone: "warning" },
    isFalse: { label: "Not destructive", meaning: "The tool only adds data.", tone: "neutral" },
  },
  {
    name: "idempotentHint",
    isTrue: {
      label: "Idempotent",
      meaning: "A second call with the same arguments has no effect.",
      tone: "neutral",
    },
    isFalse: { label: "Not idempotent", meaning: "Each call has an effect.", tone: "neutral" },
  },
  {
    name: "openWorldHint",
    isTrue: { label: "Open world", meaning: "The tool uses systems outside of the server.", tone: "neutral" },
    isFalse: { label: "Closed world", meaning: "The tool uses only the server's own data.", tone: "neutral" },
  },
];

/** Returns the annotations of a tool in words. Absent ones are left out. */
export function annotationsOf(definition: JsonObject): readonly AnnotationFact[] {
  const { annotations } = definition;
  if (!isJsonObject(annotations)) return [];
  return HINTS.flatMap(({ name, isTrue, isFalse }) => {
    const value = annotations[name];
    return typeof value === "boolean" ? [{ name, ...(value ? isTrue : isFalse) }] : [];
  });
}

/** Number of findings by severity, and the most severe one. */
export interface FindingCounts {
  readonly worst: Finding["severity"];
  readonly count: number;
}

const SEVERITIES = ["error", "warning", "info"] as const;

/** Counts findings. Returns `undefined` if there are none that need a badge. */
export function countFindings(findings: readonly Finding[]): FindingCounts | undefined {
  const worst = SEVERITIES.find((severity) => findings.some((finding) => finding.severity === severity));
  return worst === undefined || worst === "info" ? undefined : { worst, count: findings.length };
}
