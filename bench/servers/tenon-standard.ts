/**
 * @fileoverview Tenon with the application standard: a request context, a logger at `info`, a rate limiter, and tools
 * that declare their scopes.
 * @module bench/servers/tenon-standard
 */
import {
  createLogger,
  createRateLimiter,
  limiterGuard,
  requestContextService,
  standard,
} from "../../packages/app/dist/index.js";
import { Connection, receive, replyText } from "../../packages/tenon/dist/host/index.js";
import { defineServer } from "../../packages/tenon/dist/index.js";
import { serve } from "../../packages/tenon/dist/transport/node/index.js";
import type { Adapter, Setup } from "./contract.js";
import { legacyOption } from "./tenon.js";
import { benchTools, INFO } from "./tools.js";

const logger = await createLogger({ level: "info" });
const AUTH = { principal: "bench", scopes: ["bench"] } as const;

function standardServer({ tools }: Pick<Setup, "tools">) {
  const limiter = limiterGuard({ limiter: createRateLimiter({ limit: 1_000_000_000 }) });
  const builder = defineServer(INFO).use(standard({ logger, limiter }));
  for (const { name, description, input, run } of benchTools(tools)) {
    builder.tool(name, {
      description,
      input,
      scopes: AUTH.scopes,
      handler(args) {
        logger.debug("Called", requestContextService.current());
        return run(args);
      },
    });
  }
  return builder;
}

/** Adapter of Tenon with the application standard. */
export const adapter: Adapter = {
  async http(setup) {
    const running = await serve(standardServer(setup), {
      transport: { type: "http", port: 0 },
      authenticate: () => ({ auth: AUTH }),
      ...legacyOption(setup),
    });
    if (running.httpServer !== undefined) running.httpServer.keepAliveTimeout = 600_000;
    return Number(new URL(running.url ?? "").port);
  },
  inProcess(setup) {
    const server = standardServer(setup).build();
    const connection = new Connection({ era: setup.mode === "modern" ? "modern" : "legacy" });
    const delivery = { context: undefined, exchange: { connection, auth: AUTH } };
    return (text) => {
      const reply = receive(server, text, delivery);
      return reply instanceof Promise ? reply.then(replyText) : replyText(reply);
    };
  },
};
