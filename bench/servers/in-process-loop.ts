/**
 * @fileoverview Calls a server's function repeatedly for a given time. Every response is checked, outside the measured
 * time.
 * @module bench/servers/in-process-loop
 */
import { INITIALIZE, INITIALIZED, makeCase, type Variant } from "../lib/cases.js";
import { Checker } from "../lib/check.js";
import type { ObjectServer, RawMessage, TextServer } from "./contract.js";
import type { HostReply, RunCommand } from "./host-protocol.js";

/** Maximum calls between two clock readings: enough to make a reading cheap, few enough to keep a slice short. */
const MOST_CALLS = 512;
const LEAST_BATCH_US = 2_000;

const greeted = new WeakSet<TextServer>();
const loads = new Map<string, Load>();

/** Requests of one kind, and the number of them per clock reading: a list may take as long as a thousand calls. */
interface Load {
  readonly variants: readonly Variant[];
  readonly messages: readonly RawMessage[];
  readonly checker: Checker;
  batch: number;
}

/** One kind of call, by the index of its request, and the check of its reply. */
interface Work<Reply> {
  readonly call: (index: number) => Reply | Promise<Reply>;
  readonly check: (index: number, reply: Reply) => boolean;
}

/** Runs one slice of calls from text to text. */
export async function runTexts(answer: TextServer, command: RunCommand): Promise<HostReply> {
  if (command.mode !== "modern" && !greeted.has(answer)) {
    greeted.add(answer);
    await answer(INITIALIZE);
    await answer(INITIALIZED);
  }
  const load = loadOf(command);
  const texts = load.variants.map(({ text }) => text);
  return runBatches(load, command.ms, {
    call: (index) => answer(texts[index] ?? ""),
    check: (index, text) => load.checker.takesText(index, text),
  });
}

/** Runs one slice of calls from object to object. */
export function runObjects(answer: ObjectServer, command: RunCommand): Promise<HostReply> {
  const load = loadOf(command);
  const { messages, checker } = load;
  return runBatches<unknown>(load, command.ms, {
    call: (index) => answer(messages[index] ?? { method: "" }),
    check: (index, result) => checker.takesResult(index, result),
  });
}

/** Runs batches until the time is used up. Synchronous replies are not awaited. */
async function runBatches<Reply>(load: Load, ms: number, { call, check }: Work<Reply>): Promise<HostReply> {
  const { length } = load.variants;
  const end = performance.now() + 4 * ms;
  const total = { done: 0, errors: 0, cpuUs: 0, wallUs: 0 };
  do {
    const replies: Reply[] = [];
    const start = performance.now();
    const before = process.cpuUsage();
    for (let turn = 0; turn < load.batch; turn++) {
      const reply = call(turn % length);
      replies.push(reply instanceof Promise ? await reply : reply);
    }
    const { user, system } = process.cpuUsage(before);
    total.wallUs += (performance.now() - start) * 1000;
    total.cpuUs += user + system;
    total.done += load.batch;
    total.errors += replies.filter((reply, turn) => !check(turn % length, reply)).length;
    if (user + system < LEAST_BATCH_US && load.batch < MOST_CALLS) load.batch *= 2;
    // On a busy machine, this process gets only a part of the elapsed time.
  } while (total.cpuUs < ms * 1000 && performance.now() < end);
  return total;
}

function loadOf({ name, mode, tools }: RunCommand): Load {
  const known = loads.get(name);
  if (known !== undefined) return known;
  const { variants } = makeCase(name, mode, tools);
  const messages = variants.map(({ text }) => JSON.parse(text) as RawMessage);
  const load = { variants, messages, checker: new Checker(variants), batch: 1 };
  loads.set(name, load);
  return load;
}
