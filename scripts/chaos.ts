/**
 * @fileoverview `npm run chaos`: kills nodes, stops Redis, and alters its records, and checks that nothing is lost or
 * mixed up. Uses only loopback, with bounded counts and times.
 * @module scripts/chaos
 */
import { parseArgs } from "node:util";
import { runChaos, SCENARIOS } from "../tools/chaos/run-chaos.js";
import { readCount, runCommand } from "../tools/command.js";

const HELP = `Usage: npm run chaos [-- --only NAME --seed N --short]
  --only   name of the only scenario to run: ${Object.keys(SCENARIOS).join(", ")}
  --seed   seed of an earlier run, to repeat its random choices
  --short  the form that the tests use`;

await runCommand("chaos", async () => {
  const { values } = parseArgs({
    options: {
      short: { type: "boolean", default: false },
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
      only: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return true;
  }
  return runChaos({
    isShort: values.short,
    seed: readCount("seed", values.seed),
    only: values.only,
    print: (line) => console.log(line),
  });
});
