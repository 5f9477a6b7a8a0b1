/**
 * @fileoverview Validates the configuration, loads the provider, and creates the adapters.
 * @module oauth/create-oauth-adapters
 */
import { withPorts } from "@tenon/internal/ports";
import { assertConfig, type OAuthEnvironment, type OAuthFactoryConfig } from "./providers/config.js";
import { createLoopbackAdapter, type LoopbackAdapter } from "./loopback-adapter.js";
import { createOAuthClient } from "./login/oauth-client.js";
import { openBrowser } from "@tenon/internal/command-line/open-browser";
import { loadProvider } from "./providers/load-provider.js";

/** Adapters for one service. */
export interface OAuthAdapters {
  /** Signs in through a browser on this machine. */
  readonly loopback: LoopbackAdapter;
}

/**
 * Creates the adapters for one service. Loads only the chosen provider. Sends no request and opens no port.
 * @throws if an option is missing or invalid. The message names the first one.
 */
export async function createOAuthAdapters(
  config: OAuthFactoryConfig,
  environment: OAuthEnvironment = {},
): Promise<OAuthAdapters> {
  assertConfig(config, environment);
  const provider = await loadProvider(config.provider, config.tenant);
  const ports = withPorts(environment.ports);
  const client = createOAuthClient(config, provider, { ports, fetch: environment.fetch });
  const show = environment.openBrowser ?? ((url: URL) => openBrowser(url));
  return { loopback: createLoopbackAdapter({ config, provider, client, ports, openBrowser: show }) };
}
