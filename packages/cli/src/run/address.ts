/**
 * @fileoverview Flags for the address that a command serves on.
 * @module cli/run/address
 */
import { cliError } from "@tenon/internal/command-line/command";
import { type FlagRules, type FlagValues, repeated, value } from "@tenon/internal/command-line/flags";
import { integer, text } from "@tenon/internal/options/option-rows";
import { codeOf, messageOf } from "@tenon/internal/thrown";
import type { Listening } from "tenon/node";
import { isLoopbackHost } from "@tenon/internal/security/loopback";

/** Creates the flag for a port. */
export function portFlag(description: string, rules: FlagRules = {}) {
  return value("number", description, { ...rules, option: integer({ min: 0, max: 65_535 }) });
}

/** Creates the flags for the rest of the address. */
export function addressArgs(rules: FlagRules) {
  return {
    host: value("address", "Address to listen on (default: 127.0.0.1)", {
      ...rules,
      option: text({
        default: "127.0.0.1",
        pattern: /^[\w.:%-]+$/,
        expected: "a host name or an IP address without a port or brackets",
      }),
    }),
    path: value("path", "Endpoint path (default: /mcp)", {
      ...rules,
      option: text({
        default: "/mcp",
        pattern: /^\/[\w./~-]*$/,
        expected: "a path that starts with / and contains only letters, digits, and the characters . / _ ~ -",
      }),
    }),
    "allow-host": repeated(
      "name",
      "Host name that clients use. Required if other machines can reach the server",
      rules,
    ),
  };
}

/** Address to serve on. */
export interface Address extends FlagValues<ReturnType<typeof addressArgs>> {
  readonly port: number;
}

/** Asserts that the host names of a server that other machines can reach are known. @throws {CliError} */
export function assertHosts({ host, allowHost }: Address): void {
  if (allowHost.length > 0 || isLoopbackHost(host)) return;
  throw cliError(
    `--allow-host is required to listen on ${host}, because other machines can reach it. ` +
      "Pass the host name that clients use.",
  );
}

/** Number of ports that are tried. */
const MAX_PORTS = 20;

/** Listens on a port. If it is in use and `canMove` is true, tries the next ports. */
export async function listenOn(
  port: number,
  canMove: boolean,
  start: (port: number) => Promise<Listening>,
): Promise<Listening> {
  const last = canMove ? port + MAX_PORTS - 1 : port;
  for (let next = port; ; next++) {
    try {
      return await start(next);
    } catch (error) {
      if (codeOf(error) !== "EADDRINUSE" || next === last)
        throw cliError(messageOf(error) ?? "Could not listen.");
    }
  }
}
