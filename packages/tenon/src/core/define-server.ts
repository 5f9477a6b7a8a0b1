/**
 * @fileoverview The two doors to a builder: `defineServer` with options, and `Server.builder` without.
 * @module core/define-server
 */
import { ServerBuilder } from "./builder.js";
import type { ServerOptions } from "./definitions/options.js";
import type { Server as BuiltServer } from "./server.js";
import type { ToolMap } from "./wire/hosted-server.js";

/**
 * Starts a server.
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

/** A built server. */
export type Server<Context = unknown, Tools extends ToolMap = ToolMap> = BuiltServer<Context, Tools>;

/** Where a server that is declared as data starts. */
export const Server = {
  /** A builder without a name yet; `serverInfo` gives it one. */
  builder: <Context = unknown>(): ServerBuilder<Context> => new ServerBuilder<Context>(),
};
