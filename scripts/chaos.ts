/**
 * @fileoverview `npm run chaos`: kills nodes, stops Redis, and alters its records, and checks that nothing is lost or
 * mixed up. Uses only loopback, with bounded counts and times.
 *
 * `--short` runs the form that the tests use, `--seed N` repeats the random choices of a run, and `--only NAME` runs one
 * scenario.
 * @module scripts/chaos
 */
import { parseArgs } from "node:util";
import { runChaos } from "../tools/chaos/run-chaos.js";

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    only: { type: "string" },
  },
});
const seed = Number(values.seed);
if (!Number.isSafeInteger(seed)) throw new TypeError(`--seed must be an integer; got ${values.seed}.`);
const holds = await runChaos({
  isShort: values.short,
  seed,
  only: values.only,
  print: (line) => console.log(line),
});
process.exitCode = holds ? 0 : 1;
