/**
 * @fileoverview Calls a server's function repeatedly for a given time. Every response is checked, outside the measured
 * time.
 * @module bench/servers/in-process-loop
 */
import { INITIALIZE, INITIALIZED, makeCase, type Variant } from "../lib/cases.js";
import { Checker } from "../lib/check.js";
import type { TextServer } from "./contract.js";
import type { HostReply, RunCommand } from "./host-protocol.js";

/** Maximum calls between two clock readings: enough to make a reading cheap, few enough to keep a slice short. */
const MOST_CALLS = 512;
const LEAST_BATCH_US = 2_000;

const greeted = new WeakSet<TextServer>();
const loads = new Map<string, Load>();

/** Requests of one kind, and the number of them per clock reading: a list may take as long as a thousand calls. */
interface Load {
  readonly variants: readonly Variant[];
  readonly checker: Checker;
  batch: number;
}

/** Runs one slice. Synchronous responses are not awaited. */
export async function runLoop(answer: TextServer, command: RunCommand): Promise<HostReply> {
  const { name, mode, ms } = command;
  if (mode !== "modern" && !greeted.has(answer)) {
    greeted.add(answer);
    await answer(INITIALIZE);
    await answer(INITIALIZED);
  }
  const load = loads.get(name) ?? createLoad(command);
  loads.set(name, load);
  const { variants, checker } = load;
  const end = performance.now() + 4 * ms;
  const total = { done: 0, errors: 0, cpuUs: 0, wallUs: 0 };
  do {
    const replies: string[] = [];
    const start = performance.now();
    const before = process.cpuUsage();
    for (let turn = 0; turn < load.batch; turn++) {
      const reply = answer(variants[turn % variants.length]?.text ?? "");
      replies.push(typeof reply === "string" ? reply : await reply);
    }
    const { user, system } = process.cpuUsage(before);
    total.wallUs += (performance.now() - start) * 1000;
    total.cpuUs += user + system;
    total.done += load.batch;
    total.errors += replies.filter((text, turn) => !checker.takesText(turn % variants.length, text)).length;
    if (user + system < LEAST_BATCH_US && load.batch < MOST_CALLS) load.batch *= 2;
    // On a busy machine, this process gets only a part of the elapsed time.
  } while (total.cpuUs < ms * 1000 && performance.now() < end);
  return total;
}

function createLoad({ name, mode, tools }: RunCommand): Load {
  const { variants } = makeCase(name, mode, tools);
  return { variants, checker: new Checker(variants), batch: 1 };
}
