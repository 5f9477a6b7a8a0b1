/**
 * @fileoverview `npm run attack`: attacks servers on loopback, with bounded counts and times, and prints one table. Exits
 * with code 1 if a promise does not hold.
 * @module scripts/attack
 */
import { ATTACKS, runAttack } from "../tools/attack/run-attack.js";
import { runSeededCommand } from "../tools/command.js";

const scenarios = Object.fromEntries(Object.entries(ATTACKS).map(([name, { about }]) => [name, about]));
await runSeededCommand("attack", { scenarios, run: runAttack });
