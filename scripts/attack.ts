/**
 * @fileoverview `npm run attack`: attacks servers on loopback, with bounded counts and times, and prints one table. Exits
 * with code 1 if a promise does not hold.
 * @module scripts/attack
 */
import { parseArgs } from "node:util";
import { ATTACKS, runAttack } from "../tools/attack/run-attack.js";
import { readCount, runCommand } from "../tools/command.js";

await runCommand("attack", async () => {
  const { values } = parseArgs({
    options: {
      short: { type: "boolean", default: false },
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
      only: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(helpText());
    return true;
  }
  return runAttack({
    isShort: values.short,
    seed: readCount("seed", values.seed),
    only: values.only,
    print: (line) => console.log(line),
  });
});

function helpText(): string {
  const attacks = Object.entries(ATTACKS).map(([name, { about }]) => `  ${name.padEnd(11)}${about}`);
  return (
    "Usage: npm run attack [-- --only NAME --seed N --short]\n" +
    "  --only   name of the only attack to run\n" +
    "  --seed   seed of an earlier run, to repeat its random choices\n" +
    "  --short  the form that the tests use\n" +
    `Attacks:\n${attacks.join("\n")}`
  );
}
