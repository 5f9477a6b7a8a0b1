/**
 * @fileoverview The grouped tool with five layers of middleware around every action.
 * @module bench/servers/tenon-grouped-layered
 */
import type { ActionMiddleware } from "../../packages/tenon/dist/grouped/index.js";
import { defineServer } from "../../packages/tenon/dist/index.js";
import type { Adapter } from "./contract.js";
import { answererOf } from "./tenon.js";
import { groupedTool } from "./tenon-grouped.js";
import { INFO } from "./tools.js";

const pass: ActionMiddleware = (_context, _args, next) => next();

/** Adapter of the grouped tool with middleware. */
export const adapter: Adapter = {
  inProcess(setup) {
    const tool = groupedTool(setup).use(pass, pass, pass, pass, pass);
    return answererOf(defineServer(INFO).tools(tool).build(), setup);
  },
};
