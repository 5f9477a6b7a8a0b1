/**
 * @fileoverview `npm run quick-start`: runs the commands of the README's quick start, from an empty folder to a tool
 * that the official client calls, and prints their number and the seconds that each takes.
 *
 * The commands are read from the README. npm installs the packages of this repository as they would be published, and
 * all others from its registry, with an empty cache. The MCP Inspector is installed beforehand, in tools/inspector.
 * @module scripts/quick-start
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { findInspector } from "../tools/inspector/run.js";
import { startRegistry } from "../tools/local-registry.js";
import { packPackages } from "../tools/packed-packages.js";
import { ROOT } from "../tools/source-files.js";

/** A command that has run. */
export interface QuickStartStep {
  readonly command: string;
  readonly seconds: number;
  /** True if the command is still running, because it serves the server. */
  readonly isRunning: boolean;
  /** Text on standard output and standard error. */
  readonly output: string;
}

/** Options for `runQuickStart`. */
export interface QuickStartOptions {
  readonly commands: readonly string[];
  /** Environment of the commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Empty folder in which the first command runs. */
  readonly folder: string;
  /** Is called after each command. */
  readonly onStep?: (step: QuickStartStep) => void;
}

const COMMAND_MS = 240_000;
const INSPECTOR = "@modelcontextprotocol/inspector";

/** Reads the commands of the README's section "Quick start", without their comments. */
export function readQuickStart(readme: string): readonly string[] {
  const [, section = ""] = /^## Quick start\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(readme) ?? [];
  const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
  const commands = blocks
    .flatMap((block) => block.split("\n"))
    .map((line) => line.replace(/(?:^|\s+)#.*$/, "").trim())
    .filter((line) => line !== "");
  if (commands.length === 0) throw new Error('The section "Quick start" does not contain commands.');
  return commands;
}

/**
 * Runs commands as a user would type them: each after the one before it has exited or, if it is a server, has printed
 * its address. Resolves after all servers have been stopped. @throws if a command fails
 */
export async function runQuickStart(options: QuickStartOptions): Promise<readonly QuickStartStep[]> {
  const { commands, env, onStep } = options;
  const steps: QuickStartStep[] = [];
  const servers: ChildProcess[] = [];
  let cwd = options.folder;
  let address: string | undefined;
  try {
    for (const command of commands) {
      const start = performance.now();
      const [, target] = /^cd (\S+)$/.exec(command) ?? [];
      let run: CommandRun = { output: "", server: undefined };
      if (target === undefined) run = await runCommand(withAddress(command, address), { cwd, env });
      else cwd = resolve(cwd, target);
      if (run.server !== undefined) servers.push(run.server);
      address = run.address ?? address;
      const isRunning = run.server !== undefined;
      const step = { command, seconds: (performance.now() - start) / 1000, isRunning, output: run.output };
      steps.push(step);
      onStep?.(step);
    }
    return steps;
  } finally {
    await Promise.all(servers.map(stopGroup));
  }
}

/** Outcome of a command. */
interface CommandRun {
  readonly output: string;
  /** Process that still runs, if the command is a server. */
  readonly server: ChildProcess | undefined;
  /** Address that the server printed. */
  readonly address?: string;
}

/** Matches commands that run until they are stopped. */
const SERVER = /^npm run dev\b/;
const ADDRESS = /http:\/\/(?:127\.0\.0\.1|localhost):\d+\/mcp\b/;

/** Replaces the address of a server. A server whose port is in use prints a different address than the README. */
function withAddress(command: string, address: string | undefined): string {
  return address === undefined ? command : command.replace(ADDRESS, address);
}

async function runCommand(
  command: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<CommandRun> {
  // In its own process group, so that the programs that npm starts can be stopped with it.
  const child = spawn("sh", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const late = setTimeout(() => killGroup(child, "SIGKILL"), COMMAND_MS);
  let output = "";
  try {
    return await new Promise<CommandRun>((succeed, fail) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          output += text;
          const [address] = SERVER.test(command) ? (ADDRESS.exec(output) ?? []) : [];
          if (address !== undefined) succeed({ output, server: child, address });
        });
      }
      child.once("error", fail);
      child.once("close", (code) => {
        if (code === 0) succeed({ output, server: undefined });
        else fail(new Error(`The command failed with ${String(code)}: ${command}\n${output}`));
      });
    });
  } finally {
    clearTimeout(late);
  }
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  killGroup(child, "SIGTERM");
  const late = setTimeout(() => killGroup(child, "SIGKILL"), 5_000);
  await exited;
  clearTimeout(late);
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has already ended.
  }
}

/** Folder, environment, and cleanup for a quick start. */
export interface QuickStartStage {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Packs the packages, and prepares an empty folder. @throws if the MCP Inspector cannot be installed */
export async function openStage(): Promise<QuickStartStage> {
  const inspector = await findInspector();
  if (!inspector.ok) throw new Error(inspector.reason);
  const home = realpathSync(mkdtempSync(join(tmpdir(), "tenon-quick-start-")));
  const registry = await startRegistry(await packPackages());
  const [folder, bin] = [join(home, "empty"), join(home, "bin")];
  for (const path of [folder, bin]) mkdirSync(path);
  writeNpx(bin, inspector.node);
  const path = [bin, registry.env["PATH"]].join(delimiter);
  return {
    folder,
    // Without a terminal, npm cannot ask whether to install create-tenon.
    env: { ...registry.env, PATH: path, NO_COLOR: "1", npm_config_yes: "true" },
    async close() {
      registry.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/**
 * Writes an `npx` that runs the installed Inspector, which needs a newer Node.js than Tenon, and otherwise npm's `npx`.
 * The Inspector's files are written to `bin`, which is removed.
 */
function writeNpx(bin: string, node: string): void {
  const entry = `${ROOT}/tools/inspector/node_modules/${INSPECTOR}/clients/launcher/build/index.js`;
  const script = `#!/bin/sh
PATH="\${PATH#*:}"
if [ "$1" = "${INSPECTOR}" ]; then
  shift
  HOME="${bin}" TMPDIR="${bin}" PATH="${dirname(node)}:$PATH" exec "${node}" "${entry}" "$@"
fi
exec npx "$@"
`;
  writeFileSync(join(bin, "npx"), script);
  chmodSync(join(bin, "npx"), 0o755);
}

async function main(): Promise<void> {
  const commands = readQuickStart(readFileSync(`${ROOT}/README.md`, "utf8"));
  const stage = await openStage();
  try {
    const steps = await runQuickStart({
      commands,
      env: stage.env,
      folder: stage.folder,
      onStep: ({ command, seconds, isRunning }) =>
        console.log(`${seconds.toFixed(1).padStart(6)} s  ${command}${isRunning ? "  (running)" : ""}`),
    });
    const total = steps.reduce((sum, { seconds }) => sum + seconds, 0);
    console.log(`${total.toFixed(1).padStart(6)} s  in ${steps.length} commands\n`);
    console.log(steps.at(-1)?.output.trim());
  } finally {
    await stage.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
