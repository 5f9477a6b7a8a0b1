/**
 * @fileoverview `npm run new -- ../my-server [--template NAME]`: creates a project that uses the packages of this clone.
 * @module scripts/new
 */
import { cliError, EXIT } from "@tenon/internal/command-line/command";
import { renderCommandHelp } from "@tenon/internal/command-line/help";
import { parseArguments } from "@tenon/internal/command-line/parse-arguments";
import { reportFailure, runInProcess } from "@tenon/internal/command-line/run-in-process";
import { toNewCommand } from "../tools/new-project.js";
import { runBounded } from "../tools/process.js";
import { ROOT } from "../tools/source-files.js";

const BUILD_MS = 900_000;

await runInProcess(async (argv, terminal) => {
  const command = toNewCommand(build);
  try {
    if (argv.includes("--help") || argv.includes("-h")) {
      terminal.stdout.write(await renderCommandHelp(command, { name: "npm run" }, terminal));
      return EXIT.ok;
    }
    // npm changes the folder of its scripts, and passes on the one that it was run in.
    const cwd = terminal.env["INIT_CWD"] ?? terminal.cwd;
    return await command.run(parseArguments(command, argv), { ...terminal, cwd });
  } catch (error) {
    const { code, isUsage } = reportFailure(error, terminal);
    if (isUsage) terminal.stderr.write("Run npm run new -- --help for usage.\n");
    return code;
  }
});

async function build(): Promise<void> {
  const args = ["scripts/build.mjs", "--if-changed"];
  const { ok, output } = await runBounded(process.execPath, args, { cwd: ROOT, timeoutMs: BUILD_MS });
  if (!ok) throw cliError(`The build failed.\n${output}`);
}
