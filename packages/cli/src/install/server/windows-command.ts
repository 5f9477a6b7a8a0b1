/**
 * @fileoverview Commands that clients can start on Windows, where `npx` and other npm programs are scripts.
 * @module cli/install/server/windows-command
 */
import { usageError } from "@tenon/internal/command-line/command";
import type { Client } from "../clients.js";
import type { Machine, Server } from "../types.js";

/** Wraps a script in `cmd /c` if the client does not start scripts itself. @throws {CliError} for unsafe arguments */
export function toStartableServer(server: Server, client: Client, { platform }: Machine): Server {
  if (platform !== "win32" || server.kind !== "stdio" || client.startsScripts) return server;
  if (!SCRIPTS.test(server.command)) return server;
  const words = [server.command, ...server.args];
  // `cmd` would run the text after such a character as another command.
  const unsafe = words.findIndex((word) => /[&|<>^"%\r\n]/.test(word));
  if (unsafe !== -1)
    throw usageError(
      `Word ${unsafe + 1} of the program contains one of the characters & | < > ^ " %, which cmd interprets. ` +
        `${client.title} starts scripts on Windows with cmd. Install the package, and run it with node instead.`,
    );
  return { ...server, command: "cmd", args: ["/c", ...words] };
}

/** Programs that npm and other package managers install as scripts, and names of scripts. */
const SCRIPTS = /^(?:npx|npm|pnpx|pnpm|yarn|yarnpkg|bunx|corepack|tsx|tenon)$|\.(?:cmd|bat)$/i;
