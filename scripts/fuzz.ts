/**
 * @fileoverview `npm run fuzz`: sends generated and damaged frames to servers over every transport, and prints one table.
 * Exits with code 1 if a promise does not hold. Uses only loopback, with bounded counts and times.
 * @module scripts/fuzz
 */
import { parseArgs } from "node:util";
import { readCount, runCommand } from "../tools/command.js";
import { PARTS } from "../tools/fuzz/parts.js";
import { runFuzz } from "../tools/fuzz/run-fuzz.js";

await runCommand("fuzz", async () => {
  const { values } = parseArgs({
    options: {
      frames: { type: "string" },
      histories: { type: "string" },
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
      only: { type: "string" },
      short: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const { short: isShort, only } = values;
  if (values.help) {
    console.log(helpText());
    return true;
  }
  return runFuzz({
    frames: readCount("frames", values.frames ?? (isShort ? "10000" : "1000000")),
    histories: readCount("histories", values.histories ?? (isShort ? "0" : "1000")),
    seed: readCount("seed", values.seed),
    only,
    isShort,
    print: (line) => console.log(line),
  });
});

function helpText(): string {
  const parts = Object.entries(PARTS).map(([name, { about }]) => `  ${name.padEnd(17)}${about}`);
  return (
    "Usage: npm run fuzz [-- --frames N --seed N --only NAME --histories N --short]\n" +
    "  --frames     number of generated frames, for all transports together (default: 1000000)\n" +
    "  --seed       seed of an earlier run, to repeat it\n" +
    "  --only       name of the only part to run\n" +
    "  --histories  number of histories of tasks (default: 1000)\n" +
    "  --short      the form that the tests use: 10,000 frames\n" +
    `Parts:\n${parts.join("\n")}`
  );
}
