/**
 * @fileoverview Tenon with all operations as actions of one tool.
 * @module bench/servers/tenon-grouped
 */
import { createTool } from "../../packages/tenon/dist/grouped/index.js";
import { defineServer } from "../../packages/tenon/dist/index.js";
import type { Adapter, Setup } from "./contract.js";
import { answererOf } from "./tenon.js";
import { benchTools, INFO } from "./tools.js";

/** Creates the grouped tool. It is not built yet. */
export function groupedTool({ tools }: Pick<Setup, "tools">) {
  const work = createTool("work").description("All the work there is");
  for (const { name, description, input, run } of benchTools(tools)) {
    work.action({
      name,
      description,
      schema: input,
      handler: (_context, args) => run(args),
    });
  }
  return work;
}

/** Adapter of the grouped tool. */
export const adapter: Adapter = {
  inProcess: (setup) => answererOf(defineServer(INFO).tools(groupedTool(setup)).build(), setup),
};
