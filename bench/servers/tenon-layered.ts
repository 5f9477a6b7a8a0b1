/**
 * @fileoverview Tenon with five layers of middleware around every tool.
 * @module bench/servers/tenon-layered
 */
import type { Middleware } from "../../packages/tenon/dist/index.js";
import type { Adapter } from "./contract.js";
import { answererOf, tenonServer } from "./tenon.js";

const pass: Middleware = (_operation, next) => next();

/** Adapter of Tenon with middleware. */
export const adapter: Adapter = {
  inProcess: (setup) => answererOf(tenonServer(setup).use(pass, pass, pass, pass, pass).build(), setup),
};
