/**
 * @fileoverview Reads the fixtures of `tenon doctor`: definitions on which a rule must, or must not, find problems.
 * @module tests/cli/support/doctor/rule-fixtures
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ListName } from "../../../src/client/list-feature.js";
import type { Capture, ListProblem } from "../../../src/doctor/facts/capture.js";
import type { Severity } from "../../../src/doctor/rule.js";

/** Folder with one fixture per rule. */
const FIXTURES = fileURLToPath(new URL("../../doctor/fixtures/", import.meta.url));

/** Definitions in short form. */
export type PartialCapture = Partial<Omit<Capture, "lists">> &
  Partial<Record<ListName, Capture["lists"]["tools"]["items"]>> & {
    readonly problems?: Partial<Record<ListName, ListProblem>>;
  };

/** Fixture of one rule. */
export interface Fixture {
  readonly failing: PartialCapture;
  /** Findings of the rule in `failing`, in order. */
  readonly findings: readonly { readonly place: string; readonly severity: Severity }[];
  readonly passing: PartialCapture;
}

/** Returns the IDs of all fixtures. */
export function fixtureIds(): readonly string[] {
  return readdirSync(FIXTURES).map((file) => file.replace(/\.json$/, ""));
}

/** Reads a rule's fixture. */
export function readFixture(id: string): Fixture {
  return expand(JSON.parse(readFileSync(`${FIXTURES}${id}.json`, "utf8"))) as Fixture;
}

/** Completes definitions in short form. */
export function toCapture(part: PartialCapture): Capture {
  const list = (name: ListName) => ({
    items: part[name] ?? [],
    ...(part.problems?.[name] === undefined ? {} : { problem: part.problems[name] }),
  });
  return {
    server: part.server ?? { name: "notes", version: "1.2.3" },
    revision: part.revision ?? "2025-11-25",
    capabilities: part.capabilities ?? { tools: {}, resources: {}, prompts: {} },
    ...(part.instructions === undefined ? {} : { instructions: part.instructions }),
    lists: {
      tools: list("tools"),
      resources: list("resources"),
      resourceTemplates: list("resourceTemplates"),
      prompts: list("prompts"),
    },
    ...(part.calls === undefined ? {} : { calls: part.calls }),
    ...(part.settings === undefined ? {} : { settings: part.settings }),
  };
}

/**
 * Expands the short forms in a fixture: `$repeat` is a long text, `$join` a text in parts, so that no file contains a
 * credential, and `$tools` a list of equal tools.
 */
function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expand);
  if (typeof value !== "object" || value === null) return value;
  const { $repeat: text, times, $join: parts, $tools: count } = value as Record<string, unknown>;
  if (typeof text === "string") return text.repeat(Number(times));
  if (Array.isArray(parts)) return parts.join("");
  if (typeof count === "number") {
    return Array.from({ length: count }, (_, index) => ({
      name: `tool_${index}`,
      description: `Does the work number ${index}`,
      inputSchema: { type: "object", properties: {} },
      annotations: { readOnlyHint: true },
    }));
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(member)]));
}
