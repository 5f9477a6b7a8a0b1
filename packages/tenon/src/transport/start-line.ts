/**
 * @fileoverview Messages that a transport prints when it starts: one line with the address, and a warning for tools
 * whose scopes are not enforced.
 * @module tenon/transport/start-line
 */
import { printable } from "@tenon/internal/text";
import type { HostedServer } from "../core/wire/hosted-server.js";
import type { HttpOptions } from "./http/options.js";
import type { ServerSource } from "./http/server-source.js";

/** Describes a running HTTP server, such as `[tenon] Server "hello" is listening on http://127.0.0.1:3000/mcp`. */
export function httpStartLine(server: HostedServer<never>, url: string, workers?: number): string {
  const processes = workers === undefined ? "" : ` (${workers} ${workers === 1 ? "worker" : "workers"})`;
  return `[tenon] ${subjectOf(server)} is listening on ${url}${processes}\n`;
}

/** Tells a user who started a stdio server on a terminal that nothing else will happen. */
export function stdioStartLine(server: HostedServer<never>): string {
  return `[tenon] ${subjectOf(server)} is waiting for a client on stdin; press Ctrl+C to stop.\n`;
}

/**
 * Prints a warning if the server has tools with `scopes` and the endpoint does not identify callers: every caller can
 * use such tools.
 */
export function warnOfOpenScopes(
  { shared }: Pick<ServerSource<never>, "shared">,
  options: Pick<HttpOptions<unknown>, "authenticate" | "authorization">,
  print: (text: string) => void,
): void {
  if (options.authenticate !== undefined || options.authorization !== undefined) return;
  const names = (shared?.describe?.().tools ?? [])
    .filter(
      ({ scopes, outline }) =>
        scopes.length > 0 || outline?.actions.some((action) => (action.scopes ?? []).length > 0) === true,
    )
    .map(({ definition }) => `"${printable(definition.name)}"`);
  if (names.length > 0) print(describeOpenScopes(names));
}

function describeOpenScopes(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  const rest = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  const [subject, verb, pronoun] = names.length === 1 ? ["Tool", "has", "it"] : ["Tools", "have", "them"];
  return (
    `[tenon] ${subject} ${shown}${rest} ${verb} \`scopes\`, but this endpoint has neither \`authorization\` nor ` +
    `\`authenticate\`, so every caller can use ${pronoun}. Set \`authorization\`. If this is intended, set it to ` +
    '`createAuthorization({ mode: "none" })`.\n'
  );
}

const MAX_NAMES = 10;

function subjectOf({ info }: HostedServer<never>): string {
  return info === undefined ? "The server" : `Server "${printable(info.name)}"`;
}
