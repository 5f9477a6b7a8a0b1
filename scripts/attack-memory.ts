/**
 * @fileoverview `npm run attack:memory`: attacks servers with a heap of 512 MB, one at a time, while a regular client
 * calls them. Uses only loopback, with bounded counts and times. `--short` runs the version that the tests use. A
 * number selects one attack.
 * @module scripts/attack-memory
 */
import { type Attack, ATTACKS, type Scale } from "./attack/attacks.js";
import { HttpTarget, type Mode, StdioTarget } from "./attack/target.js";

const options = process.argv.slice(2);
const scale: Scale = { isShort: options.includes("--short") };
const picked = options.filter((option) => /^\d$/.test(option));
let failures = 0;

for (const attack of ATTACKS.filter(({ name }) => picked.length === 0 || picked.includes(name[0] ?? ""))) {
  for (const mode of ["serve", "fetch"] as const) report(attack, mode, await attackHttp(attack, mode));
  report(attack, "stdio", await attackStdio(attack));
}
console.log(failures === 0 ? "All attacks failed." : `Attacks that succeeded: ${failures}.`);
process.exitCode = failures === 0 ? 0 : 1;

/** Outcome of one attack. */
interface Outcome {
  readonly problem: string | undefined;
  readonly figures: string;
}

function report({ name }: Attack, mode: Mode, { problem, figures }: Outcome): void {
  if (problem !== undefined) failures++;
  console.log(`${problem === undefined ? "ok  " : "FAIL"} ${name}, ${mode}: ${problem ?? figures}`);
}

async function attackHttp(attack: Attack, mode: Mode): Promise<Outcome> {
  const target = await HttpTarget.start(mode);
  const { honest } = target;
  let problem: string | undefined;
  try {
    problem = await attack.http(target, scale);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
    problem = `could not run the attack: ${String(error)}${cause}`;
  }
  const peak = await target.peakMegabytes();
  problem = target.death ?? honest.failure ?? problem;
  await target.stop();
  problem ??= honest.failure;
  const figures = `${honest.answered} regular calls, slowest ${Math.round(honest.slowestMs)} ms; peak ${peak} MB`;
  return { problem, figures };
}

async function attackStdio(attack: Attack): Promise<Outcome> {
  const target = new StdioTarget();
  let problem = await attack.stdio(target, scale);
  const reply = await target.request("tools/list", {});
  if (!reply.includes('"tools"')) problem ??= `a regular request received ${reply.slice(0, 200)}`;
  problem = target.death ?? problem;
  await target.stop();
  return { problem, figures: "the regular request received its response" };
}
