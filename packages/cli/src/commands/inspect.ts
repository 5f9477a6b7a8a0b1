/**
 * @fileoverview The `tenon inspect` command: opens the development page for any MCP server.
 * @module cli/commands/inspect
 */
import type { ArgsDef } from "citty";
import {
  type Command,
  EXIT,
  type Invocation,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import { openBrowser } from "@tenon/internal/command-line/open-browser";
import { messageOf } from "@tenon/internal/thrown";
import {
  isJsonOutput,
  outputArgs,
  parseTarget,
  readTargetWords,
  SERVER_ARGS,
  type Target,
  TARGET_ARG,
  TARGET_HINTS,
} from "../client/target.js";
import { claimStdout } from "../load/claim-stdout.js";
import { parseAddress } from "../run/address.js";

const ARGS: ArgsDef = {
  ...TARGET_ARG,
  port: {
    type: "string",
    valueHint: "number",
    description: "Port of the page. 0 picks a free port (default: 6280, or the next free port)",
  },
  open: {
    type: "boolean",
    description: "Open the page in the browser (default: on, if the output is a terminal)",
    negativeDescription: "Do not open the page in the browser",
  },
  ...SERVER_ARGS,
  ...outputArgs("Print the URL of the page as JSON"),
};

const DEFAULT_PORT = "6280";

/** The `inspect` command. Serves the page until the user stops it. */
export const inspectCommand: Command = {
  name: "inspect",
  usage: "tenon inspect",
  description: "Open a page on which you can call a server's tools and see its messages",
  args: ARGS,
  repeatable: ["header"],
  takesProgram: true,
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
  async run(invocation, terminal) {
    const target = parseTarget(readFlags(invocation), terminal.env);
    const given = invocation.text("port");
    const address = parseAddress({
      port: given ?? DEFAULT_PORT,
      host: undefined,
      path: undefined,
      allowed: [],
    });
    const isJson = isJsonOutput(invocation);
    const isOpened = invocation.isOn("open") ?? (terminal.isInteractive && !isJson);
    const { runInspect } = await import("../page/launch/run-inspect.js");
    await withOutput(target, terminal, (print) =>
      runInspect(
        {
          target,
          port: address?.port ?? 0,
          canMove: given === undefined,
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
};

function readFlags(invocation: Invocation) {
  const target = invocation.text("target");
  if (target !== undefined && invocation.text("server") !== undefined)
    throw usageError("The server is specified twice. Use either the argument or --server.");
  const { flags } = readTargetWords(invocation, target === undefined ? [] : [target]);
  return { ...flags, server: flags.server ?? target };
}

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
