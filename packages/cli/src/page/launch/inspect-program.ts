/**
 * @fileoverview Program that serves over stdio, for `tenon inspect`.
 * @module cli/page/launch/inspect-program
 */
import type { Terminal } from "@tenon/internal/command-line/command";
import { createTextRedactor, REDACTED } from "@tenon/internal/security/redact-text";
import { isSecretName } from "@tenon/internal/security/secret-names";
import { createClient } from "tenon/client";
import { OutputLines } from "../../dev/log/output-lines.js";
import type { InspectedServer } from "../workbench/inspected-server.js";

/** Creates the server. Each client starts the program. `onLine` is called with each line of its error output. */
export function inspectProgram(
  words: readonly string[],
  { cwd, env }: Pick<Terminal, "cwd" | "env">,
  onLine: (line: string) => void,
): InspectedServer {
  const [command = "", ...args] = words;
  return {
    isProgram: true,
    slowMessage: "The program has not responded yet. Check that it is an MCP server.",
    connect(options) {
      const lines = new OutputLines(onLine);
      const decoder = new TextDecoder();
      const onStderr = (chunk: Uint8Array) => lines.push(decoder.decode(chunk, { stream: true }));
      return createClient({ command, args, cwd, env, onStderr }, options);
    },
    snippets: () => ({ headers: [], hasToken: false, program: showWords(words) }),
  };
}

const MAX_WORD = 4_000;

const redact = createTextRedactor({ limit: MAX_WORD });

/** Returns the words of a command line without the credentials in them. A flag such as `--token` can have its own word. */
export function showWords(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const before = words[index - 1] ?? "";
    const isValue = /^--?[^=]+$/.test(before) && !word.startsWith("-") && isSecretName(before);
    return isValue ? REDACTED : redact(word);
  });
}
