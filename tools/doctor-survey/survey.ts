/**
 * @fileoverview Servers of the survey, their captures, and the labels of their findings.
 * @module tools/doctor-survey/survey
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Capture } from "../../packages/cli/src/doctor/facts/capture.js";
import { toFacts } from "../../packages/cli/src/doctor/facts/facts.js";
import type { Finding } from "../../packages/cli/src/doctor/rule.js";
import { ALL_RULES } from "../../packages/cli/src/doctor/rules/all-rules.js";
import { runRules } from "../../packages/cli/src/doctor/run-rules.js";

/** Public server on npm. */
export interface SurveyedServer {
  /** Name of the npm package. */
  readonly name: string;
  /** Exact version. */
  readonly version: string;
  /** Name of the program. @default the only program of the package */
  readonly bin?: string;
  readonly args?: readonly string[];
  /** Environment variables. Their values are placeholders. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Label of one finding. */
export interface Label {
  readonly rule: string;
  readonly place: string;
  /** True if the finding is correct. */
  readonly label: boolean;
  /** Evidence in the definition. */
  readonly reason: string;
}

/** Labels of the findings on one server. */
export interface LabeledServer {
  readonly server: string;
  readonly version: string;
  readonly findings: readonly Label[];
}

/** Folder of this survey, with a trailing slash. */
export const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** Reads the list of servers. */
export function readServers(): readonly SurveyedServer[] {
  return readJson("servers.json") as readonly SurveyedServer[];
}

/** Reads the labels. */
export function readLabels(): readonly LabeledServer[] {
  return readJson("labels.json") as readonly LabeledServer[];
}

/** Returns the file of a server's capture, below the folder `captures`. */
export function captureFile(name: string): string {
  return `${name.replaceAll(/[^a-z0-9.-]+/gi, "-").replace(/^-/, "")}.json`;
}

/** Reads the compact capture of a server. */
export function readSkeleton(name: string): Capture {
  return readJson(`captures/${captureFile(name)}`) as Capture;
}

/** Lists the files of all captures. */
export function listCaptures(): readonly string[] {
  return readdirSync(`${FOLDER}captures`);
}

/** Runs all rules on a capture. */
export function diagnose(capture: Capture): readonly Finding[] {
  return runRules(ALL_RULES, toFacts(capture)).findings;
}

/** Identifies a finding among those of a server. */
export function keyOf({ rule, place }: { readonly rule: string; readonly place: string }): string {
  return `${rule} ${place}`;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(`${FOLDER}${file}`, "utf8"));
}
