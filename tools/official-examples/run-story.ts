/**
 * @fileoverview Runs a story of the official repository, version 2: a server, and a client that checks it.
 * @module tools/official-examples/run-story
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runBounded } from "../process.js";
import { baseEnvironment, startExample } from "./example-process.js";
import type { ExampleResult } from "./report.js";

/** Options for Node.js that load TypeScript. */
export const TYPESCRIPT = ["--import", import.meta.resolve("tsx")] as const;

/**
 * Folder with the code of the documentation pages: programs that check themselves. They quote exact bytes, which may
 * differ, so they run only on request.
 */
export const GUIDES = "guides";

/** Declares how a story runs, in the `example` field of its `package.json`. */
interface StoryConfig {
  readonly transports?: readonly ("stdio" | "http")[];
  readonly era?: "dual" | "modern" | "legacy";
  readonly path?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly expects?: { readonly stdout?: string };
  readonly excluded?: string;
}

/** One way to run a story. */
interface Leg {
  readonly transport: "stdio" | "http";
  readonly era: "modern" | "legacy";
}

/** Runs a story in every way that it declares. If a run fails, the unmodified story shows if Tenon is the reason. */
export async function runStory(
  project: string,
  examples: string,
  name: string,
): Promise<Pick<ExampleResult, "runErrors" | "skipped">> {
  if (name === GUIDES) return runGuides(project);
  const config = readConfig(join(examples, name, "package.json"));
  if (config.excluded !== undefined) return { runErrors: [], skipped: config.excluded };
  if (!existsSync(join(examples, name, "client.ts")))
    return { runErrors: [], skipped: "No client checks it." };
  const runErrors: string[] = [];
  for (const leg of legsOf(config)) {
    const failure = await compare((side) => runLeg(join(project, side, name), config, leg));
    if (failure !== undefined) runErrors.push(`${leg.transport}, ${leg.era}: ${failure}`);
  }
  return { runErrors };
}

const TIMEOUT_MS = 60_000;

/** Runs every program of the documentation, except those that are only compiled. */
async function runGuides(project: string): Promise<Pick<ExampleResult, "runErrors" | "skipped">> {
  const files = readdirSync(join(project, "tenon", GUIDES), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".examples.ts"))
    .filter(
      (file) =>
        !/^\/\/ docs: typecheck-only$/m.test(readFileSync(join(project, "tenon", GUIDES, file), "utf8")),
    );
  const runErrors: string[] = [];
  for (const file of files) {
    const failure = await compare((side) => runProgram(join(project, side, GUIDES, file)));
    if (failure !== undefined) runErrors.push(`${file}: ${failure}`);
  }
  return { runErrors };
}

/** Runs an example on Tenon and, if it fails, unmodified. Resolves to the reason of a failure. */
async function compare(
  runOn: (side: "official" | "tenon") => Promise<string | undefined>,
): Promise<string | undefined> {
  const failure = await runOn("tenon");
  if (failure === undefined) return undefined;
  const isOwn = (await runOn("official")) === undefined;
  return isOwn ? failure : `The unmodified example fails too, so it was not compared: ${failure}`;
}

/** Returns the part of a program's output that starts with its error. */
function reasonIn(output: string): string {
  const start = output.search(/^(?:\w*Error\b|Timed out)/m);
  return output.slice(Math.max(start, 0));
}

/** Runs a program until it exits. Resolves to the reason of a failure. */
async function runProgram(file: string, args: readonly string[] = []): Promise<string | undefined> {
  const { ok, output } = await runBounded(process.execPath, [...TYPESCRIPT, file, ...args], {
    cwd: dirname(file),
    timeoutMs: TIMEOUT_MS,
    env: baseEnvironment(),
  });
  return ok ? undefined : reasonIn(output);
}

function readConfig(file: string): StoryConfig {
  const { example = {} } = JSON.parse(readFileSync(file, "utf8")) as { readonly example?: StoryConfig };
  return example; // the repository's own format
}

function legsOf({ transports = ["stdio", "http"], era = "dual" }: StoryConfig): readonly Leg[] {
  const eras = era === "dual" ? (["modern", "legacy"] as const) : [era];
  return transports.flatMap((transport) => eras.map((one) => ({ transport, era: one })));
}

/** Runs the client, and the server for it. Resolves to the reason of a failure. */
async function runLeg(folder: string, config: StoryConfig, leg: Leg): Promise<string | undefined> {
  const eraFlags = leg.era === "legacy" ? ["--legacy"] : [];
  if (leg.transport === "stdio") return runClient(folder, config, eraFlags);
  const { env = {}, path = "/mcp" } = config;
  try {
    const server = await startExample({
      file: join(folder, "server.ts"),
      nodeFlags: TYPESCRIPT,
      args: ["--http"],
      env,
      takesPorts: true,
    });
    try {
      const url = `${server.origin.replace("localhost", "127.0.0.1")}${path}`;
      const failure = await runClient(folder, config, ["--http", url, ...eraFlags]);
      return failure === undefined ? undefined : `${failure}\nThe server printed: ${server.output()}`;
    } finally {
      await server.stop();
    }
  } catch (error) {
    return (error as Error).message;
  }
}

async function runClient(
  folder: string,
  { expects = {}, timeoutMs = TIMEOUT_MS }: StoryConfig,
  args: readonly string[],
): Promise<string | undefined> {
  const { ok, output } = await runBounded(
    process.execPath,
    [...TYPESCRIPT, join(folder, "client.ts"), ...args],
    {
      cwd: folder,
      timeoutMs: Math.max(timeoutMs, TIMEOUT_MS),
      env: baseEnvironment(),
    },
  );
  if (!ok) return reasonIn(output);
  const { stdout = "" } = expects;
  return output.includes(stdout) ? undefined : `The client did not print "${stdout}"; got ${output}`;
}
