/**
 * @fileoverview Lists the tools of a module for completion scripts. Nothing but the names is printed.
 * @module cli/completions/list-tools
 */
import { Writable } from "node:stream";
import type { Terminal } from "@tenon/internal/command-line/command";
import { listFeature } from "../client/list-feature.js";
import { runWithClient } from "../client/session.js";
import { isPlainWord } from "./model.js";

/**
 * Returns the names of a module's tools that a shell can insert as they are. Returns an empty list if the module cannot
 * be loaded, or not in time. Never connects to a URL and never starts a program: the user has not run the command yet.
 */
export async function listToolNames(
  file: string,
  terminal: Terminal,
  timeoutMs: number,
): Promise<readonly string[]> {
  if (/^https?:/i.test(file)) return [];
  const timeout = new AbortController();
  const names = readNames(file, silence(terminal, AbortSignal.any([terminal.signal, timeout.signal])));
  const late = new Promise<readonly string[]>((resolve) => {
    timeout.signal.addEventListener("abort", () => resolve([]));
  });
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    return await Promise.race([names.catch(() => []), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Replaces the streams of a terminal, so that nothing is printed while the user edits the command line. */
function silence(terminal: Terminal, signal: AbortSignal): Terminal {
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  return { ...terminal, stderr: sink, stdout: sink, isInteractive: false, signal };
}

async function readNames(file: string, terminal: Terminal): Promise<readonly string[]> {
  const tools = await runWithClient({ server: file }, { terminal }, ({ client }) =>
    listFeature(client, "tools"),
  );
  return tools.flatMap(({ name }) => (typeof name === "string" && isPlainWord(name) ? [name] : []));
}
