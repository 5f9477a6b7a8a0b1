/**
 * @fileoverview Runs the program: parses the arguments, shows help, prints errors, and returns the exit code.
 * @module create-tenon/run-create
 */
import { EXIT, type Terminal } from "@tenon/internal/command-line/command";
import { renderCommandHelp } from "@tenon/internal/command-line/help";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { parseArguments } from "@tenon/internal/command-line/parse-arguments";
import { reportFailure } from "@tenon/internal/command-line/run-in-process";
import { formatColumns, widthOf } from "@tenon/internal/command-line/text";
import { createCommand, PROGRAM } from "./create-command.js";
import { DEFAULT_TEMPLATE, TEMPLATE_NAMES, TEMPLATE_SUMMARIES } from "./templates.js";

/** Runs the program and resolves to the exit code. Never rejects. */
export async function runCreate(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    if (argv.includes("--version") || argv.includes("-v")) {
      terminal.stdout.write(`${packageFacts(PROGRAM, import.meta.url).version}\n`);
      return EXIT.ok;
    }
    if (argv.includes("--help") || argv.includes("-h")) {
      terminal.stdout.write(await renderCommandHelp(createCommand, undefined, terminal));
      terminal.stdout.write(`\nTemplates\n\n${listTemplates(widthOf(terminal.stdout))}`);
      return EXIT.ok;
    }
    return await createCommand.run(parseArguments(createCommand, argv, terminal.env), terminal);
  } catch (error) {
    const { code, isUsage } = reportFailure(error, terminal);
    if (isUsage) terminal.stderr.write("Run npm create tenon@latest -- --help for usage.\n");
    return code;
  }
}

function listTemplates(width: number): string {
  const rows = TEMPLATE_NAMES.map((name) => {
    const isDefault = name === DEFAULT_TEMPLATE;
    return [name, `${TEMPLATE_SUMMARIES[name]}${isDefault ? " (default)" : ""}`];
  });
  return formatColumns(rows, { width, indent: 2 })
    .map((line) => `${line}\n`)
    .join("");
}
