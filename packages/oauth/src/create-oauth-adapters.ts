/**
 * @fileoverview `createOAuthAdapters`: creates the adapters for a configuration.
 * @module oauth/create-oauth-adapters
 */
import { withPorts } from "@tenon/internal/ports";
import { assertConfig, type OAuthEnvironment, type OAuthFactoryConfig } from "./providers/config.js";
import { createLoopbackAdapter, type LoopbackAdapter } from "./loopback-adapter.js";
import { createOAuthClient } from "./login/oauth-client.js";
import { openBrowser } from "./login/open-browser.js";
import { loadProvider } from "./providers/load-provider.js";

/** Adapters of one service. Only the application uses them. */
export interface OAuthAdapters {
  readonly loopback: LoopbackAdapter;
}

/**
 * Creates the adapters of one service. Loads the code of the chosen provider only.
 * @throws if an option is missing or invalid; the message names the first one
 */
export async function createOAuthAdapters(
  config: OAuthFactoryConfig,
  environment: OAuthEnvironment = {},
): Promise<OAuthAdapters> {
  assertConfig(config);
  const provider = await loadProvider(config.provider, config.tenant);
  const ports = withPorts(environment.ports);
  const client = createOAuthClient(config, provider, ports);
  const show = environment.openBrowser ?? ((url: URL) => openBrowser(url));
  return { loopback: createLoopbackAdapter({ config, provider, client, ports, openBrowser: show }) };
}
