/**
 * @fileoverview `defineServer`, the entry point for building servers.
 * @module core/define-server
 */
import type { ServerOptions } from "./definitions/options.js";
import { ServerBuilder } from "./server.js";

/**
 * Creates a server builder. Add definitions, then call `.build()`.
 *
 * @example
 * const server = defineServer({ name: "weather", version: "1.0.0" })
 *   .tool("forecast", {
 *     input: z.object({ city: z.string() }),
 *     handler: ({ city }) => `Sunny in ${city}`,
 *   })
 *   .build();
 */
export function defineServer<Context = unknown>(options: ServerOptions): ServerBuilder<Context> {
  return new ServerBuilder<Context>(options);
}
