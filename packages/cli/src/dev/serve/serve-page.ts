/**
 * @fileoverview Decides on which port the development page is served. The page is available only on loopback addresses,
 * so it gets a port of its own if the command serves over stdio or on a different address.
 * @module cli/dev/serve/serve-page
 */
import type { RequestListener } from "node:http";
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import type { DevProxy } from "../proxy/dev-proxy.js";
import type { Address } from "../../run/address.js";
import { type ServedHttp, serveHttp } from "./serve-http.js";

/** HTTP servers of the command. */
export interface ServedParts {
  /** Endpoint for clients. `undefined` over stdio. */
  readonly http: ServedHttp | undefined;
  /** Endpoint of the page, which can be the same. `undefined` without a page. */
  readonly page: ServedHttp | undefined;
}

/** Settings for `serveAll`. */
export interface ServeAllSettings {
  readonly address: Address | undefined;
  readonly canMove: boolean;
  readonly page: RequestListener | undefined;
}

/** Address of a page with its own port. Its clients use an endpoint there too. */
const OWN_ADDRESS: Address = { port: 0, host: "127.0.0.1", path: "/mcp", allowHost: [] };

/** Serves clients and the page. @throws {CliError} if no port can be used */
export async function serveAll(proxy: DevProxy, settings: ServeAllSettings): Promise<ServedParts> {
  const { address, canMove, page } = settings;
  const isShared = address !== undefined && isLoopbackHost(address.host) && address.allowHost.length === 0;
  const http =
    address === undefined
      ? undefined
      : await serveHttp(proxy, { address, canMove, page: isShared ? page : undefined });
  if (page === undefined || isShared) return { http, page: page === undefined ? undefined : http };
  return { http, page: await serveHttp(proxy, { address: OWN_ADDRESS, canMove: false, page }) };
}
