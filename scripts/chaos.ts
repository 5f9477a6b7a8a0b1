/**
 * @fileoverview `npm run chaos`: kills nodes, stops Redis, and alters its records, and checks that nothing is lost or
 * mixed up. Uses only loopback, with bounded counts and times.
 * @module scripts/chaos
 */
import { runChaos, SCENARIOS } from "../tools/chaos/run-chaos.js";
import { runSeededCommand } from "../tools/command.js";

const scenarios = Object.fromEntries(Object.entries(SCENARIOS).map(([name, { about }]) => [name, about]));
await runSeededCommand("chaos", { scenarios, run: runChaos });
