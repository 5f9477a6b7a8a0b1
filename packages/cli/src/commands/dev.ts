/**
 * @fileoverview The `tenon dev` command: serves a module, and replaces its code when a file changes.
 * @module cli/commands/dev
 */
import type { ArgsDef } from "citty";
import {
  type Command,
  type Invocation,
  type Terminal,
  usageError,
} from "@tenon/internal/command-line/command";
import { MODULE_DESCRIPTION } from "../client/target.js";
import { SERVER_PROCESS } from "../dev/messages/messages.js";
import { isPageUrl, PAGE_PATH } from "../page/serve/access.js";
import { assertHosts, parseAddress } from "../run/address.js";

const ARGS: ArgsDef = {
  file: { type: "positional", description: MODULE_DESCRIPTION },
  port: {
    type: "string",
    valueHint: "number",
    description: "Port to serve HTTP on. 0 picks a free port (default: 3000, or the next free port)",
  },
  host: { type: "string", valueHint: "address", description: "Address to listen on (default: 127.0.0.1)" },
  path: { type: "string", valueHint: "path", description: "Endpoint path (default: /mcp)" },
  "allow-host": {
    type: "string",
    valueHint: "name",
    description:
      "Host name that clients use. Required if other machines can reach the server. Can be repeated",
  },
  stdio: { type: "boolean", description: "Serve over stdio, for clients that start the server themselves" },
  "env-file": {
    type: "string",
    valueHint: "file",
    description: "File with environment variables for the server (default: .env, if it exists)",
  },
  json: {
    type: "boolean",
    description: "Print one JSON object per line (default: on, unless the output is a terminal)",
  },
  poll: { type: "boolean", description: "Poll files, if the file system does not report changes" },
  tokens: {
    type: "boolean",
    default: true,
    description: "Count the tokens of tools",
    negativeDescription: "Do not count the tokens of tools",
  },
  page: {
    type: "boolean",
    default: true,
    description: "Serve the development page on this machine",
    negativeDescription: "Do not serve the development page",
  },
  open: { type: "boolean", description: "Open the development page in the browser" },
};

/** The `dev` command. Serves until the user stops it or, over stdio, until the client disconnects. */
export const devCommand: Command = {
  name: "dev",
  usage: "tenon dev",
  description: "Serve a module over HTTP, or over stdio with --stdio, and reload it when a file changes",
  args: ARGS,
  repeatable: ["allow-host"],
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
};

async function serve({ text, all, isOn }: Invocation, terminal: Terminal): Promise<number> {
  const isStdio = isOn("stdio") === true;
  const port = text("port");
  const flags = { host: text("host"), path: text("path"), allowed: all("allow-host") };
  if (isStdio) assertNoAddress({ port, ...flags });
  const address = isStdio ? undefined : parseAddress({ port: port ?? DEFAULT_PORT, ...flags });
  if (address !== undefined) assertHosts(address);
  const page = parsePage(isOn, address?.path);
  const { findEntry } = await import("../dev/build/entry.js");
  const { findEnvFile } = await import("../dev/env-file.js");
  const entry = await findEntry(text("file") ?? "", terminal.cwd);
  const envFile = findEnvFile(text("env-file"), terminal.cwd);
  const { runDev } = await import("../dev/run-dev.js");
  return runDev(
    {
      entry,
      address,
      hasPort: port !== undefined,
      envFile,
      isJson: isOn("json"),
      isPolling: isOn("poll") === true,
      countsTokens: isOn("tokens") !== false,
      page,
    },
    terminal,
  );
}

const DEFAULT_PORT = "3000";

function parsePage(isOn: Invocation["isOn"], path: string | undefined): "off" | "on" | "open" {
  if (isOn("page") === false) {
    if (isOn("open") === true)
      throw usageError("--open cannot be combined with --no-page. Remove one of them.");
    return "off";
  }
  if (path !== undefined && isPageUrl(path))
    throw usageError(
      `--path must not start with ${PAGE_PATH}, which is the development page. Add --no-page to use it.`,
    );
  return isOn("open") === true ? "open" : "on";
}

interface AddressFlags {
  readonly port: string | undefined;
  readonly host: string | undefined;
  readonly path: string | undefined;
  readonly allowed: readonly string[];
}

function assertNoAddress({ port, host, path, allowed }: AddressFlags): void {
  const given = { "--port": port, "--host": host, "--path": path, "--allow-host": allowed[0] };
  const [stray] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (stray !== undefined) throw usageError(`--stdio cannot be combined with ${stray}. Remove one of them.`);
}
