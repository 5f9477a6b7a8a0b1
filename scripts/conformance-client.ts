/**
 * @fileoverview `npm run conformance:client`: runs the client scenarios of the official conformance suite with
 * `tenon/client` and `@tenon/oauth`. Fails on any failed check or warning, except in scenarios that are expected to fail.
 * @module scripts/conformance-client
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundlePrograms } from "../tools/bundle-programs.js";
import { findSuite } from "../tools/conformance/install.js";
import { CLIENT_EXPECTATIONS, judge } from "../tools/conformance/judge.js";
import { runClientSuite, SELECTIONS, type SuiteRun } from "../tools/conformance/run-suite.js";
import { type ConformanceOutcome, reportOutcome } from "./conformance.js";

/** Runs the client scenarios of both revisions. */
export async function runClientConformance(): Promise<ConformanceOutcome> {
  const found = await findSuite();
  if (!found.ok) return { kind: "left-out", reason: found.reason };
  const folder = await mkdtemp(join(tmpdir(), "tenon-conformance-client-"));
  try {
    await bundlePrograms(["tools/conformance/everything-client.ts"], folder);
    const command = `${process.execPath} ${join(folder, "everything-client.mjs")}`;
    const runs: SuiteRun[] = [];
    for (const selection of SELECTIONS) {
      if (selection[0] === "--requirements") runs.push(await runClientSuite(found.suite, command, selection));
    }
    return { kind: "done", verdict: judge(runs, CLIENT_EXPECTATIONS) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href)
  reportOutcome(await runClientConformance());
