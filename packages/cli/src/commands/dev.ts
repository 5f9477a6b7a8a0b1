/**
 * @fileoverview The `tenon dev` command: serves a module, and replaces its code when a file changes.
 * @module cli/commands/dev
 */
import { type Invocation, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { toggle, toggleAuto, toggleOff, value } from "@tenon/internal/command-line/flags";
import { defineCommand, MODULE_ARGS } from "../define-command.js";
import { SERVER_PROCESS } from "../dev/messages/messages.js";
import { isPageUrl, PAGE_PATH } from "../page/serve/access.js";
import { addressArgs, assertHosts, portFlag } from "../run/address.js";

const ARGS = {
  ...MODULE_ARGS,
  port: portFlag("Port to serve HTTP on. 0 picks a free port (default: 3000, or the next free port)", {
    excludes: "stdio",
  }),
  ...addressArgs({ excludes: "stdio" }),
  stdio: toggle("Serve over stdio, for clients that start the server themselves"),
  "env-file": value("file", "File with environment variables for the server (default: .env, if it exists)"),
  json: toggleAuto("Print one JSON object per line (default: on, unless the output is a terminal)"),
  poll: toggle("Poll files, if the file system does not report changes"),
  tokens: toggleOff("Count the tokens of tools", "Do not count the tokens of tools"),
  page: toggleOff("Serve the development page on this machine", "Do not serve the development page"),
  open: toggle("Open the development page in the browser"),
};

/** The `dev` command. Serves until the user stops it or, over stdio, until the client disconnects. */
export const devCommand = defineCommand({
  name: "dev",
  description: "Serve a module over HTTP, or over stdio with --stdio, and reload it when a file changes",
  args: ARGS,
  hints: {
    watch: "Files that the module imports are always watched.",
    workers: "`tenon dev` uses one process. Use `tenon run --workers` to test with several.",
  },
  examples: [
    "tenon dev src/server.ts",
    "tenon dev src/server.ts:app --port 4000 --open",
    "tenon dev src/server.ts --stdio",
    "claude mcp add my-server -- npx tenon dev src/server.ts --stdio",
  ],
  async run(invocation, terminal) {
    // A process that this command has started runs the user's code.
    if (terminal.env[SERVER_PROCESS] !== undefined) {
      const { runServerProcess } = await import("../dev/server/run-server-process.js");
      return runServerProcess();
    }
    return serve(invocation, terminal);
  },
});

type DevFlags = Invocation<typeof ARGS>;

async function serve(flags: DevFlags, terminal: Terminal): Promise<number> {
  const address = flags.stdio ? undefined : { ...flags, port: flags.port ?? DEFAULT_PORT };
  if (address !== undefined) assertHosts(address);
  const page = parsePage(flags, address?.path);
  const { findEntry } = await import("../dev/build/entry.js");
  const { findEnvFile } = await import("../dev/env-file.js");
  const entry = await findEntry(flags.file, terminal.cwd);
  const envFile = findEnvFile(flags.envFile, terminal.cwd);
  const { runDev } = await import("../dev/run-dev.js");
  return runDev(
    {
      entry,
      address,
      hasPort: flags.port !== undefined,
      envFile,
      isJson: flags.json,
      isPolling: flags.poll,
      countsTokens: flags.tokens,
      page,
    },
    terminal,
  );
}

const DEFAULT_PORT = 3000;

function parsePage({ page, open }: DevFlags, path: string | undefined): "off" | "on" | "open" {
  if (!page) {
    if (open) throw usageError("--open cannot be combined with --no-page. Remove one of them.");
    return "off";
  }
  if (path !== undefined && isPageUrl(path))
    throw usageError(
      `--path must not start with ${PAGE_PATH}, which is the development page. Add --no-page to use it.`,
    );
  return open ? "open" : "on";
}
