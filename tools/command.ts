/**
 * @fileoverview Runs a command of the project: sets the exit code, and explains invalid options in one sentence.
 * @module tools/command
 */
import { parseArgs } from "node:util";

/**
 * Runs a command. The exit code is 0 if its promises hold, 1 if they do not, and 2 if an option is invalid.
 *
 * @param name name of the npm script, for the hint after an invalid option
 * @param work throws a `TypeError` whose message starts with `--` if an option is invalid
 */
export async function runCommand(name: string, work: () => Promise<boolean>): Promise<void> {
  try {
    process.exitCode = (await work()) ? 0 : 1;
  } catch (error) {
    if (!isOptionError(error)) throw error;
    process.stderr.write(`${error.message}\nSee the options with: npm run ${name} -- --help\n`);
    process.exitCode = 2;
  }
}

/** Options of a command that makes random choices. */
export interface SeededOptions {
  readonly isShort: boolean;
  /** Determines the random choices. */
  readonly seed: number;
  /** Name of the only scenario to run. */
  readonly only: string | undefined;
  readonly print: (line: string) => void;
}

/** Scenarios of a command that makes random choices, and the function that runs them. */
export interface SeededCommand {
  /** Descriptions of the scenarios by name. */
  readonly scenarios: Readonly<Record<string, string>>;
  readonly run: (options: SeededOptions) => Promise<boolean>;
}

/** Runs a command with the options `--only`, `--seed`, `--short`, and `--help`. */
export function runSeededCommand(name: string, { scenarios, run }: SeededCommand): Promise<void> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  return runCommand(name, async () => {
    const { values } = parseArgs({
      options: {
        short: { type: "boolean", default: false },
        seed: { type: "string", default: String(Date.now() % 2 ** 31) },
        only: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
    const { short: isShort, only } = values;
    if (!values.help) return run({ isShort, seed: readCount("seed", values.seed), only, print });
    print(`Usage: npm run ${name} [-- --only NAME --seed N --short]
  --only   name of the only scenario to run
  --seed   seed of an earlier run, to repeat its random choices
  --short  the form that the tests use
Scenarios:`);
    for (const [scenario, about] of Object.entries(scenarios)) print(`  ${scenario.padEnd(14)}${about}`);
    return true;
  });
}

/** Returns the value of an option. @throws {TypeError} if it is not a non-negative integer */
export function readCount(name: string, text: string): number {
  const count = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(count) && count >= 0) return count;
  throw new TypeError(`--${name} must be a non-negative integer; got ${text || "nothing"}.`);
}

/** Recognizes errors of `parseArgs` and of the checks of values. */
function isOptionError(error: unknown): error is TypeError {
  if (!(error instanceof TypeError)) return false;
  const code: unknown = "code" in error ? error.code : undefined;
  return error.message.startsWith("--") || String(code).startsWith("ERR_PARSE_ARGS");
}
