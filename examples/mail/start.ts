/**
 * @fileoverview Assembles the example: authorization server, mail service, adapter, and MCP server.
 * @module examples/mail/start
 */
import type { Logger } from "tenon";
import { createMemoryTokenStore, createOAuthAdapters, type LoopbackAdapter } from "@tenon/oauth";
import { CLIENT_ID, startAuthorizationServer } from "./authorization-server.js";
import { startMailApi } from "./mail-api.js";
import { createMailServer } from "./server.js";

/** Running mail example. `close` stops all its servers. */
export interface MailExample {
  readonly server: ReturnType<typeof createMailServer>;
  readonly auth: LoopbackAdapter;
  readonly close: () => Promise<void>;
}

/** Starts the authorization server and the mail service, and creates the MCP server. */
export async function startMailExample(logger: Logger): Promise<MailExample> {
  const authorization = await startAuthorizationServer();
  const api = await startMailApi(authorization.provider.userEndpoint);
  const { loopback } = await createOAuthAdapters({
    provider: authorization.provider, // "google" or "microsoft" in production
    service: "mail",
    clientId: CLIENT_ID,
    scope: "openid email offline_access",
    headless: true, // false opens the browser automatically
    tokenStore: createMemoryTokenStore(), // createFileTokenStore({ path, key }) to stay signed in
    logger,
  });
  return {
    server: createMailServer({ auth: loopback, api: api.base }),
    auth: loopback,
    async close() {
      loopback.close();
      api.close();
      await authorization.close();
    },
  };
}
