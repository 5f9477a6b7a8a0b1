/**
 * @fileoverview Runs the rules of `tenon doctor` on a server's definitions. Other work runs in between, because the rules
 * take long for large servers.
 * @module cli/page/workbench/catalog/diagnose
 */
import { setImmediate as pause } from "node:timers/promises";
import type { Capture } from "../../../doctor/facts/capture.js";
import { toFacts } from "../../../doctor/facts/facts.js";
import { ALL_RULES } from "../../../doctor/rules/all-rules.js";
import { docsUrl } from "../../../doctor/rule.js";
import { runRules } from "../../../doctor/run-rules.js";
import type { Finding } from "../../protocol.js";

/** Findings of one tool, by its index in the list, and findings that do not belong to a tool. */
export interface Diagnosis {
  readonly byTool: ReadonlyMap<number, readonly Finding[]>;
  readonly others: readonly Finding[];
}

/** Runs all rules. Stops if the signal aborts. */
export async function diagnose(capture: Capture, signal: AbortSignal): Promise<Diagnosis> {
  const facts = toFacts(capture);
  const places = new Map(facts.tools.map(({ place }, index) => [place, index]));
  const byTool = new Map<number, Finding[]>();
  const others: Finding[] = [];
  for (const rule of ALL_RULES) {
    await pause();
    signal.throwIfAborted();
    for (const { rule: id, severity, place, message, fix } of runRules([rule], facts).findings) {
      const finding = { rule: id, severity, place, message, fix, url: docsUrl(id) };
      const index = places.get(TOOL_PLACE.exec(place)?.[0] ?? "");
      if (index === undefined) others.push(finding);
      else byTool.set(index, [...(byTool.get(index) ?? []), finding]);
    }
  }
  return { byTool, others };
}

/** Start of a place: the list, and the name or the index of a tool. */
const TOOL_PLACE = /^tools(?:\.[\w$-]{1,128}|\[(?:\d+|"(?:[^"\\]|\\.)*")\])/;
