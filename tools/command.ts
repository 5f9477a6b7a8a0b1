/**
 * @fileoverview Runs a command of the project: sets the exit code, and explains invalid options in one sentence.
 * @module tools/command
 */

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
