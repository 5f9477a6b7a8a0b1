/**
 * @fileoverview `defineServer`, the entry point for building servers.
 * @module tenon/core/define-server
 */
import { assertOptions } from "@tenon/internal/options/define-options";
import { SERVER_OPTIONS, type ServerOptions } from "./definitions/options.js";
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
 * @throws if an option is unknown or invalid
 */
export function defineServer<Context = unknown>(options: ServerOptions): ServerBuilder<Context> {
  assertOptions(SERVER_OPTIONS, options);
  return new ServerBuilder<Context>(options);
}
