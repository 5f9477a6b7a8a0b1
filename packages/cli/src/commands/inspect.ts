/**
 * @fileoverview The `tenon inspect` command: opens the development page for any MCP server.
 * @module cli/commands/inspect
 */
import { EXIT, type Terminal } from "@tenon/internal/command-line/command";
import { toggleAuto } from "@tenon/internal/command-line/flags";
import { openBrowser } from "@tenon/internal/command-line/open-browser";
import { messageOf } from "@tenon/internal/thrown";
import {
  parseTarget,
  readServer,
  SERVER_ARGS,
  type Target,
  TARGET_ARG,
  TARGET_HINTS,
} from "../client/target.js";
import { defineCommand, isJsonOutput, outputArgs } from "../define-command.js";
import { claimStdout } from "../load/claim-stdout.js";
import { portFlag } from "../run/address.js";

const DEFAULT_PORT = 6280;

/** The `inspect` command. Serves the page until the user stops it. */
export const inspectCommand = defineCommand({
  name: "inspect",
  description: "Open a page on which you can call a server's tools and see its messages",
  args: {
    ...TARGET_ARG,
    port: portFlag("Port of the page. 0 picks a free port (default: 6280, or the next free port)"),
    open: toggleAuto(
      "Open the page in the browser (default: on, if the output is a terminal)",
      "Do not open the page in the browser",
    ),
    ...SERVER_ARGS,
    ...outputArgs("Print the URL of the page as JSON"),
  },
  hints: {
    ...TARGET_HINTS,
    revision: "The page uses each protocol era that the server supports.",
    browser: "Did you mean --open?",
  },
  examples: [
    "tenon inspect https://example.com/mcp",
    "tenon inspect https://example.com/mcp --bearer-env TOKEN",
    "tenon inspect src/server.ts",
    "tenon inspect -- npx some-server",
  ],
  async run(flags, terminal) {
    const target = parseTarget(readServer(flags), terminal.env);
    const isJson = isJsonOutput(flags);
    const isOpened = flags.open ?? (terminal.isInteractive && !isJson);
    const { runInspect } = await import("../page/launch/run-inspect.js");
    await withOutput(target, terminal, (print) =>
      runInspect(
        {
          target,
          port: flags.port ?? DEFAULT_PORT,
          canMove: flags.port === undefined,
          onServing(url) {
            print(isJson ? JSON.stringify({ url }) : `Open ${url} in a browser. Press Ctrl+C to stop.`);
            if (isOpened) void openPage(url, terminal);
          },
        },
        terminal,
      ),
    );
    return EXIT.ok;
  },
});

/** Runs a function that prints lines. The output of a module must not mix with them. */
async function withOutput(
  { kind }: Target,
  { stdout }: Terminal,
  run: (print: (line: string) => void) => Promise<void>,
): Promise<void> {
  const claimed = kind === "file" ? claimStdout() : undefined;
  const output = claimed?.output ?? stdout;
  try {
    await run((line) => void output.write(`${line}\n`));
  } finally {
    claimed?.release();
  }
}

async function openPage(url: string, { stderr }: Terminal): Promise<void> {
  await openBrowser(new URL(url)).catch((error: unknown) => {
    stderr.write(`${messageOf(error) ?? "Could not open a browser."}\n`);
  });
}
