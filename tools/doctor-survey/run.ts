/**
 * @fileoverview Installs the servers of the survey, reads their definitions, and stores them in compact form. Prints
 * findings without a label, and labels without a finding.
 *
 * Usage: `npx tsx tools/doctor-survey/run.ts [name…]`
 * @module tools/doctor-survey/run
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createClient } from "tenon/client";
import type { Capture } from "../../packages/cli/src/doctor/facts/capture.js";
import { readCapture } from "../../packages/cli/src/doctor/facts/read-capture.js";
import { runBounded } from "../process.js";
import { fromSkeleton, toSkeleton } from "./skeleton.js";
import {
  captureFile,
  diagnose,
  FOLDER,
  keyOf,
  readLabels,
  readServers,
  readSkeleton,
  type SurveyedServer,
} from "./survey.js";

const INSTALL_MS = 300_000;
const REQUEST_MS = 60_000;

/** Installs a server, starts it, and reads its definitions. */
async function capture(server: SurveyedServer): Promise<Capture> {
  const folder = mkdtempSync(join(tmpdir(), "doctor-survey-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    const install = ["install", ...flags, `${server.name}@${server.version}`];
    const { ok, output } = await runBounded("npm", install, { cwd: folder, timeoutMs: INSTALL_MS });
    if (!ok) throw new Error(`npm install failed: ${output.slice(0, 500)}`);
    const client = await createClient(
      {
        command: process.execPath,
        args: [
          findProgram(folder, server),
          ...(server.args ?? []).map((arg) => arg.replace("{folder}", folder)),
        ],
        cwd: folder,
        env: { PATH: process.env["PATH"] ?? "", HOME: folder, ...server.env },
      },
      { revision: "latest", timeoutMs: REQUEST_MS, reconnect: false },
    );
    try {
      return await readCapture(client);
    } finally {
      await client.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function findProgram(folder: string, { name, bin }: SurveyedServer): string {
  const root = join(folder, "node_modules", name);
  const { bin: bins } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly bin?: string | Readonly<Record<string, string>>;
  };
  const path = typeof bins === "string" ? bins : bins?.[bin ?? Object.keys(bins)[0] ?? ""];
  if (path === undefined)
    throw new Error(`The package ${name} has no program${bin === undefined ? "" : ` ${bin}`}.`);
  return join(root, path);
}

/** Stores a capture in compact form, after checking that the rules find the same in it. */
function store(name: string, full: Capture): void {
  const skeleton = toSkeleton(full);
  const [before, after] = [full, fromSkeleton(skeleton)].map((one) =>
    diagnose(one).map((finding) => ({ key: keyOf(finding), severity: finding.severity })),
  );
  if (JSON.stringify(before) !== JSON.stringify(after)) {
    throw new Error(`The rules find something else in the compact form of ${name}.`);
  }
  writeFileSync(`${FOLDER}captures/${captureFile(name)}`, `${JSON.stringify(skeleton)}\n`);
}

/** Compares findings with labels. Returns the differences as lines. */
function compare({ name, version }: SurveyedServer): readonly string[] {
  const found = new Set(diagnose(fromSkeleton(readSkeleton(name))).map(keyOf));
  const labels = readLabels().find(({ server }) => server === name);
  const labeled = new Set(labels?.findings.map(keyOf));
  return [
    ...(labels?.version === version ? [] : [`${name}: labels for version ${labels?.version ?? "none"}`]),
    ...[...found].filter((key) => !labeled.has(key)).map((key) => `${name}: no label for ${key}`),
    ...[...labeled].filter((key) => !found.has(key)).map((key) => `${name}: no finding for the label ${key}`),
  ];
}

const wanted = process.argv.slice(2);
const servers = readServers().filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const differences: string[] = [];
for (const server of servers) {
  try {
    const full = await capture(server);
    store(server.name, full);
    const { tools, resources, prompts } = full.lists;
    const counts = `${tools.items.length} tools, ${resources.items.length} resources, ${prompts.items.length} prompts`;
    process.stdout.write(`${server.name}@${server.version}: ${counts}\n`);
    differences.push(...compare(server));
  } catch (error) {
    differences.push(
      `${server.name}@${server.version}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
for (const line of differences) process.stdout.write(`${line}\n`);
process.exitCode = differences.length === 0 ? 0 : 1;
