/**
 * @fileoverview `npm run soak`: mixed load on all transports, and a check that nothing is lost and nothing is left. Uses
 * only loopback, with bounded counts and times. `--help` lists the options.
 * @module scripts/soak
 */
import { parseArgs } from "node:util";
import { readCount, runCommand } from "../tools/command.js";
import { BREAKS, isBreak } from "../tools/soak/breaks.js";
import { runSoak } from "../tools/soak/run-soak.js";
import { TARGETS } from "../tools/soak/targets.js";

const HELP = `npm run soak -- [options]

  --minutes N   duration, including the warm-up (default: 20)
  --short       the form that npm test runs, about half a minute
  --seed N      repeats the random choices of a run
  --only NAME   tests one transport; can be repeated: ${Object.keys(TARGETS).join(", ")}
  --break NAME  adds a fault, so that the test must fail; can be repeated:
${Object.entries(BREAKS)
  .map(([name, effect]) => `                ${name.padEnd(9)} ${effect}`)
  .join("\n")}
  --help        prints this text`;

await runCommand("soak", async () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "20" },
      short: { type: "boolean", default: false },
      seed: { type: "string", default: String(Date.now() % 2 ** 20) },
      only: { type: "string", multiple: true, default: [] },
      break: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return true;
  }
  const minutes = readCount("minutes", values.minutes);
  if (minutes < 1) throw new TypeError(`--minutes must be at least 1; got ${values.minutes}.`);
  const unknown = values.break.filter((name) => !isBreak(name));
  if (unknown.length > 0)
    throw new TypeError(
      `--break must be one of ${Object.keys(BREAKS).join(", ")}; got ${unknown.join(", ")}.`,
    );
  return runSoak({
    minutes,
    isShort: values.short,
    seed: readCount("seed", values.seed),
    only: values.only,
    breaks: values.break.filter(isBreak),
    print: (line) => console.log(line),
  });
});
