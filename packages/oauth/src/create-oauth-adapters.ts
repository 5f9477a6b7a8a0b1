/**
 * @fileoverview The one way in: from a configuration to adapters.
 * @module oauth/create-oauth-adapters
 */
import { withPorts } from "@tenon/internal/ports";
import { checkConfig, type OAuthEnvironment, type OAuthFactoryConfig } from "./providers/config.js";
import { createLoopbackAdapter, type LoopbackAdapter } from "./loopback-adapter.js";
import { createOAuthClient } from "./login/oauth-client.js";
import { openBrowser } from "./login/open-browser.js";
import { loadProvider } from "./providers/load-provider.js";

/** The adapters of one service. Nothing uses them unless the application does. */
export interface OAuthAdapters {
  readonly loopback: LoopbackAdapter;
}

/**
 * Creates the adapters of one service, loading only what its provider needs.
 * @throws where something is missing from the configuration, or oauth4webapi is not installed
 */
export async function createOAuthAdapters(
  config: OAuthFactoryConfig,
  environment: OAuthEnvironment = {},
): Promise<OAuthAdapters> {
  checkConfig(config);
  const provider = await loadProvider(config.provider, config.tenant);
  const ports = withPorts(environment.ports);
  const client = await createOAuthClient(config, provider, ports);
  const show = environment.openBrowser ?? ((url: URL) => openBrowser(url));
  return { loopback: createLoopbackAdapter({ config, provider, client, ports, openBrowser: show }) };
}
