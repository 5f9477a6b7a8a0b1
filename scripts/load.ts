/**
 * @fileoverview `npm run load`: many clients at the same time, many idle sessions, and servers that stop while they are
 * busy. Uses only loopback, with bounded counts and times. `--help` lists the options.
 * @module scripts/load
 */
import { parseArgs } from "node:util";
import { readSharedSessions } from "../tools/load/shared-sessions.js";
import { countMisrouted, readIdleSessions, stopUnderLoad } from "../tools/load/load.js";
import { runCommand } from "../tools/command.js";
import { Figures, printFigures } from "../tools/figures.js";

const print = (line: string) => console.log(line);

const SCENARIOS: Readonly<Record<string, (figures: Figures) => Promise<void>>> = {
  async ids(figures) {
    const misrouted = await countMisrouted({ clients: 100, calls: 1_000 });
    figures.exactly("mixed-up responses to 100 clients with 1,000 calls each", misrouted, 0);
  },
  async sessions(figures) {
    const { before, withSessions, after, left } = await readIdleSessions(10_000);
    const share = Math.max(0, (after - before) / (withSessions - before));
    figures.note("heap of 10,000 idle sessions", `${toKilobytes(withSessions - before)} KB`);
    figures.percent("heap that is left after they expired", share, 0.25);
    figures.exactly("sessions that are still open, of 100", left, 0);
  },
  async redis(figures) {
    const { few, many, served, tried } = await readSharedSessions(10_000);
    figures.megabytes("heap of a node for 9,900 more idle sessions in Redis", (many - few) / 1024 ** 2, 1);
    figures.exactly("sessions that respond afterwards", served, tried);
  },
  async stops(figures) {
    const totals = { finished: 0, refused: 0, lost: 0, failedStops: 0 };
    for (let round = 1; round <= 50; round++) {
      const { finished, refused, lost, exitCode } = await stopUnderLoad(50);
      totals.finished += finished;
      totals.refused += refused;
      totals.lost += lost;
      if (exitCode !== 0) totals.failedStops++;
      if (round % 10 === 0) print(`stops: ${round} of 50`);
    }
    figures.atLeast("completed calls, with SIGTERM 50 times", totals.finished, 5_000);
    figures.note("calls rejected after SIGTERM", totals.refused);
    figures.exactly("accepted calls without a response", totals.lost, 0);
    figures.exactly("servers that did not end with code 0", totals.failedStops, 0);
  },
};

const HELP = `Usage: npm run load [-- --only NAME]
  --only  name of the only scenario to run: ${Object.keys(SCENARIOS).join(", ")}`;

function toKilobytes(bytes: number): string {
  return Math.round(bytes / 1024).toLocaleString("en-US");
}

await runCommand("load", async () => {
  const { values } = parseArgs({
    options: { only: { type: "string" }, help: { type: "boolean", default: false } },
  });
  if (values.help) {
    print(HELP);
    return true;
  }
  const names = Object.keys(SCENARIOS).filter((name) => values.only === undefined || name === values.only);
  if (names.length === 0)
    throw new TypeError(`--only must be one of ${Object.keys(SCENARIOS).join(", ")}; got ${values.only}.`);
  const all = [];
  for (const name of names) {
    const figures = new Figures(name, true);
    await SCENARIOS[name]?.(figures);
    all.push(...figures.all);
    print(`${name}: done`);
  }
  return printFigures(all, print);
});
