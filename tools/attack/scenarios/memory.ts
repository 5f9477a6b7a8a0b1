/**
 * @fileoverview Attacks servers with a small heap, one at a time, while a regular client calls them.
 * @module tools/attack/scenarios/memory
 */
import type { AttackContext } from "../context.js";
import { type Attack, ATTACKS, type MemoryScale } from "../memory/attacks.js";
import { HttpTarget, type Mode, StdioTarget } from "../memory/target.js";

/** Outcome of one attack. */
interface Outcome {
  readonly problem: string | undefined;
  readonly figures: string;
  readonly peakMegabytes: number;
  readonly slowestMs: number;
}

const MODES = ["serve", "fetch", "stdio"] as const;

/** Maximum resident memory in megabytes: the heap, and buffers outside it. */
const MAX_MEGABYTES = 1_024;

/** Heap of the attacked processes in megabytes. The short form sends half as much. */
const heapFor = ({ isShort }: MemoryScale) => (isShort ? 256 : 512);

/** Runs the attacks. */
export async function memory({ figures, print, isShort }: AttackContext): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const attack of ATTACKS) {
    for (const mode of isShort ? attack.shortModes : MODES) {
      const outcome = await (mode === "stdio"
        ? attackStdio(attack, { isShort })
        : attackHttp(attack, mode, { isShort }));
      print(`${attack.name}, ${mode}: ${outcome.problem ?? outcome.figures}`);
      outcomes.push(outcome);
    }
  }
  figures.atLeast("attacks", outcomes.length, ATTACKS.length * (isShort ? 1 : 3));
  figures.exactly(
    "attacks that succeeded",
    outcomes.filter(({ problem }) => problem !== undefined).length,
    0,
  );
  figures.megabytes(
    "highest memory of a process",
    Math.max(...outcomes.map((one) => one.peakMegabytes)),
    MAX_MEGABYTES,
  );
  figures.within("slowest regular call", Math.max(...outcomes.map((one) => one.slowestMs)), 10_000);
}

async function attackHttp(attack: Attack, mode: Mode, scale: MemoryScale): Promise<Outcome> {
  const target = await HttpTarget.start(mode, heapFor(scale));
  const { honest } = target;
  let problem: string | undefined;
  try {
    problem = await attack.http(target, scale);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
    problem = `could not run the attack: ${String(error)}${cause}`;
  }
  const peakMegabytes = await target.peakMegabytes();
  problem = target.death ?? honest.failure ?? problem;
  await target.stop();
  problem ??= honest.failure;
  const { answered, slowestMs } = honest;
  const figures = `${answered} regular calls, slowest ${Math.round(slowestMs)} ms; peak ${peakMegabytes} MB`;
  return { problem, figures, peakMegabytes, slowestMs };
}

async function attackStdio(attack: Attack, scale: MemoryScale): Promise<Outcome> {
  const target = new StdioTarget(heapFor(scale));
  let problem = await attack.stdio(target, scale);
  const reply = await target.request("tools/list", {});
  if (!reply.includes('"tools"')) problem ??= `a regular request received ${reply.slice(0, 200)}`;
  problem = target.death ?? problem;
  await target.stop();
  return { problem, figures: "the regular request received its response", peakMegabytes: 0, slowestMs: 0 };
}
