/**
 * @fileoverview Tenon's streams, with the default settings of `serve`.
 * @module bench/servers/streams/tenon
 */
import { defineServer } from "../../../packages/tenon/dist/index.js";
import { serve } from "../../../packages/tenon/dist/transport/node/index.js";
import type { Adapter } from "../contract.js";
import { legacyOption } from "../tenon.js";
import { INFO } from "../tools.js";
import { tick, TICKS, TICKS_DESCRIPTION, TICKS_INPUT } from "./ticks.js";

const server = defineServer(INFO)
  .tool(TICKS, {
    description: TICKS_DESCRIPTION,
    input: TICKS_INPUT,
    handler: ({ count, text }, call) => tick(count, (step) => call.progress(step, count, text)),
  })
  .build();

/** Adapter of Tenon. */
export const adapter: Adapter = {
  async http(setup) {
    const running = await serve(server, {
      transport: { type: "http", port: 0 },
      banner: false,
      ...legacyOption(setup),
    });
    if (running.httpServer !== undefined) running.httpServer.keepAliveTimeout = 600_000;
    return Number(new URL(running.url ?? "").port);
  },
  publish: () => server.notifyListChanged("tools"),
};
