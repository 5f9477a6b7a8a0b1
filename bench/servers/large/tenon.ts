/**
 * @fileoverview Tenon with large results, with the default settings of `serve`.
 * @module bench/servers/large/tenon
 */
import { defineServer } from "../../../packages/tenon/dist/index.js";
import { serve } from "../../../packages/tenon/dist/transport/node/index.js";
import type { Adapter } from "../contract.js";
import { legacyOption } from "../tenon.js";
import { INFO } from "../tools.js";
import { IMAGE_TYPE, LARGE_INPUT as input, largeTools, RECORDS } from "./tools.js";

function largeServer() {
  const builder = defineServer(INFO);
  for (const tool of largeTools()) {
    const { name, description } = tool;
    if (tool.kind === "text") {
      builder.tool(name, { description, input, handler: () => tool.text });
    } else if (tool.kind === "records") {
      const value = tool.value as ReturnType<typeof RECORDS.parse>; // Safe: the tools are written for this schema
      builder.tool(name, { description, input, output: RECORDS, handler: () => value });
    } else {
      const content = [{ type: "image", data: tool.data, mimeType: IMAGE_TYPE }] as const;
      builder.tool(name, { description, input, handler: () => ({ content }) });
    }
  }
  return builder;
}

/** Adapter of Tenon. */
export const adapter: Adapter = {
  async http(setup) {
    const running = await serve(largeServer(), {
      transport: { type: "http", port: 0 },
      banner: false,
      ...legacyOption(setup),
    });
    if (running.httpServer !== undefined) running.httpServer.keepAliveTimeout = 600_000;
    return Number(new URL(running.url ?? "").port);
  },
};
