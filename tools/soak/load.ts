/**
 * @fileoverview Load of the soak test: clients that connect, run random scenarios, and leave, until the time is over.
 * @module tools/soak/load
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../random.js";
import { type ClientOptions, type Era, type OpenWire, SoakClient } from "./client.js";
import { HTTP_SCENARIOS } from "./http-scenarios.js";
import type { LoadPlan } from "./protocol.js";
import { abandoned, SCENARIOS } from "./scenarios.js";
import type { Tally } from "./tally.js";

/** Longest pause between two scenarios of one client in milliseconds. */
const PAUSE_MS = 20;

/** Names that are chosen at random, but each of them at least once. */
class Choices {
  readonly #due: string[];
  readonly #names: readonly string[];

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#due = [...names];
  }

  /** True if each name has been chosen. */
  get isComplete(): boolean {
    return this.#due.length === 0;
  }

  next(random: Random): string {
    return this.#due.pop() ?? random.pick(this.#names);
  }
}

/**
 * Runs clients at the same time, each with its own random choices. Ends when the time of the plan is over and
 * `isComplete` returns true.
 */
export async function runClients(
  { ms, seed, clients }: LoadPlan,
  isComplete: () => boolean,
  run: (random: Random, isOver: () => boolean) => Promise<void>,
): Promise<void> {
  const end = performance.now() + ms;
  const isOver = () => performance.now() >= end && isComplete();
  const one = async (index: number) => {
    const random = createRandom(seed * 1_000 + index);
    while (!isOver()) {
      await run(random, isOver);
      await sleep(random.between(0, PAUSE_MS));
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => one(index)));
}

/** Options for the load on one transport. */
export interface TransportLoad {
  readonly name: string;
  readonly openWire: OpenWire;
  readonly eras: readonly Era[];
  readonly tally: Tally;
}

/** Connects, runs some scenarios, and leaves, again and again. */
export async function loadConnections(plan: LoadPlan, load: TransportLoad): Promise<void> {
  const choices = choicesOf(load);
  let closed = 0;
  const incomplete = () => load.eras.filter((era) => !choices[era].isComplete);
  await runClients(
    plan,
    () => incomplete().length === 0,
    async (random, isOver) => {
      const era = random.pick(incomplete().length > 0 ? incomplete() : load.eras);
      const options = { ...optionsOf(plan, load.tally, random), era };
      let client: SoakClient | undefined;
      try {
        client = await SoakClient.open(load.openWire, options);
        for (let left = random.between(1, 6); left > 0 && !isOver(); left--)
          await runScenario(client, random, { load, choices: choices[era] });
        if (random.chance(0.2)) await abandoned({ client, random, tally: load.tally });
      } catch (error) {
        fail(load, era, error);
      }
      await client?.close(++closed % 2 === 0).catch((error: unknown) => fail(load, "close", error));
    },
  );
}

function choicesOf({ eras }: Pick<TransportLoad, "eras">): Readonly<Record<Era, Choices>> {
  const toChoices = (era: Era) => new Choices(eras.includes(era) ? Object.keys(SCENARIOS[era]) : []);
  return { legacy: toChoices("legacy"), modern: toChoices("modern") };
}

/** Runs scenarios at the same time on a client that stays connected. */
export async function loadClient(plan: LoadPlan, client: SoakClient, load: TransportLoad): Promise<void> {
  const choices = new Choices(Object.keys(SCENARIOS[client.era]));
  await runClients(
    plan,
    () => choices.isComplete,
    (random) => runScenario(client, random, { load, choices }),
  );
}

/** Runs scenarios that only HTTP has. */
export async function loadHttp(plan: LoadPlan, port: number, load: Omit<TransportLoad, "openWire">) {
  const { tally } = load;
  const choices = new Choices(Object.keys(HTTP_SCENARIOS));
  await runClients(
    plan,
    () => choices.isComplete,
    async (random) => {
      const name = choices.next(random);
      const work = HTTP_SCENARIOS[name]?.({ port, random, tally });
      await withLimit(work, plan.hangMs).catch((error: unknown) => fail(load, name, error));
    },
  );
}

/** Returns the options of a client that accepts or declines at random. */
export function optionsOf(
  { hangMs }: Pick<LoadPlan, "hangMs">,
  tally: Tally,
  random: Random,
): Omit<ClientOptions, "era"> {
  const accept = { action: "accept", content: { word: "word" } };
  return { tally, hangMs, answer: () => (random.chance(0.7) ? accept : { action: "decline" }) };
}

async function runScenario(
  client: SoakClient,
  random: Random,
  { load, choices }: { readonly load: TransportLoad; readonly choices: Choices },
): Promise<void> {
  const name = choices.next(random);
  try {
    await SCENARIOS[client.era][name]?.({ client, random, tally: load.tally });
  } catch (error) {
    fail(load, `${client.era} ${name}`, error);
  }
}

function fail({ name, tally }: Pick<TransportLoad, "name" | "tally">, what: string, error: unknown): void {
  tally.fail(`${name}: ${what}: ${error instanceof Error ? error.message : String(error)}`);
}

/** Waits for work. @throws if it takes longer than the limit */
export async function withLimit<T>(work: Promise<T> | undefined, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not end within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
