/**
 * @fileoverview Runs the program: parses the arguments, shows help, prints errors, and returns the exit code.
 * @module create-tenon/run-create
 */
import { EXIT, type Terminal } from "@tenon/internal/command-line/command";
import { renderCommandHelp } from "@tenon/internal/command-line/help";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { parseArguments } from "@tenon/internal/command-line/parse-arguments";
import { reportFailure } from "@tenon/internal/command-line/run-in-process";
import { createCommand, PROGRAM } from "./create-command.js";

/** Runs the program and resolves to the exit code. Never rejects. */
export async function runCreate(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    if (argv.includes("--version") || argv.includes("-v")) {
      terminal.stdout.write(`${packageFacts(PROGRAM, import.meta.url).version}\n`);
      return EXIT.ok;
    }
    if (argv.includes("--help") || argv.includes("-h")) {
      terminal.stdout.write(await renderCommandHelp(createCommand, undefined, terminal));
      return EXIT.ok;
    }
    return await createCommand.run(parseArguments(createCommand, argv), terminal);
  } catch (error) {
    const { code, isUsage } = reportFailure(error, terminal);
    if (isUsage) terminal.stderr.write("Run npm create tenon@latest -- --help for usage.\n");
    return code;
  }
}
