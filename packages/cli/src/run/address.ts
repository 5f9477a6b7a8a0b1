/**
 * @fileoverview Address flags of `tenon run`.
 * @module cli/run/address
 */
import { cliError, usageError } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/text";
import { isLoopbackHost } from "@tenon/internal/security/loopback";

/** Address to serve on. */
export interface Address {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly allowed: readonly string[];
}

/** Values of the flags. */
export interface GivenAddress {
  readonly port: string | undefined;
  readonly host: string | undefined;
  readonly path: string | undefined;
  readonly allowed: readonly string[];
}

/** Parses the HTTP flags. Returns `undefined` if `--port` is not set. @throws {CliError} */
export function parseAddress({ port, host, path = "/mcp", allowed }: GivenAddress): Address | undefined {
  if (port === undefined) {
    const stray = host === undefined ? (path === "/mcp" ? undefined : "--path") : "--host";
    const needs = stray ?? (allowed.length > 0 ? "--allow-host" : undefined);
    if (needs !== undefined) throw usageError(`${needs} requires --port.`);
    return undefined;
  }
  if (!/^(0|[1-9]\d{0,4})$/.test(port) || Number(port) > 65_535) {
    throw usageError(`--port must be an integer from 0 to 65535; got "${oneLine(port, 40)}".`);
  }
  if (!/^\/[\w./~-]*$/.test(path))
    throw usageError(
      `--path must start with / and contain only letters, digits, and the characters . / _ ~ -; got "${oneLine(path, 40)}".`,
    );
  if (host !== undefined && !/^[\w.:%-]+$/.test(host)) {
    throw usageError(
      `--host must be a host name or an IP address without a port or brackets; got "${oneLine(host, 40)}".`,
    );
  }
  return { port: Number(port), host: host ?? "127.0.0.1", path, allowed };
}

/** Asserts that the host names of a server that other machines can reach are known. @throws {CliError} */
export function assertHosts({ host, allowed }: Address): void {
  if (allowed.length > 0 || isLoopbackHost(host)) return;
  throw cliError(
    `--allow-host is required to listen on ${host}, because other machines can reach it. ` +
      "Pass the host name that clients use.",
  );
}
