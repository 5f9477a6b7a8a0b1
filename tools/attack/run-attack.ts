/**
 * @fileoverview Runs the attacks one after the other, and prints their figures.
 * @module tools/attack/run-attack
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { SeededOptions } from "../command.js";
import { type Figure, Figures, printFigures } from "../figures.js";
import { createRandom } from "../random.js";
import { type AttackContext, type AttackScenario, FULL, SHORT } from "./context.js";

/** Attack and the sentence that describes it. Its module is loaded when it runs. */
interface AttackEntry {
  readonly about: string;
  /** Test that sends the same requests, all of them. The short form leaves out this attack, unless it is the only one. */
  readonly testedBy?: string;
  readonly load: () => Promise<AttackScenario>;
}

/** All attacks by name. */
export const ATTACKS: Readonly<Record<string, AttackEntry>> = {
  access: {
    about: "Host, Origin, Content-Type, and Accept in every combination",
    load: async () => (await import("./scenarios/access.js")).access,
  },
  headers: {
    about: "headers that do not match the body",
    load: async () => (await import("./scenarios/headers.js")).headers,
  },
  state: {
    about: "altered, replayed, foreign, and expired requestState",
    load: async () => (await import("./scenarios/request-state.js")).requestState,
  },
  foreign: {
    about: "IDs of another principal's sessions, tasks, calls, and subscriptions",
    load: async () => (await import("./scenarios/foreign.js")).foreign,
  },
  greedy: {
    about: "callers that take all tasks and stored results",
    load: async () => (await import("./scenarios/greedy.js")).greedy,
  },
  tokens: {
    about: "forged access tokens",
    testedBy: "packages/auth/tests/attacks.test.ts",
    load: async () => (await import("./scenarios/tokens.js")).tokens,
  },
  ssrf: {
    about: "key URLs that point into the server's own network",
    load: async () => (await import("./scenarios/ssrf.js")).ssrf,
  },
  traversal: {
    about: "paths and resource URIs that leave their folder",
    load: async () => (await import("./scenarios/traversal.js")).traversal,
  },
  smuggling: {
    about: "requests hidden in other requests",
    load: async () => (await import("./scenarios/smuggling.js")).smuggling,
  },
  slow: {
    about: "slow headers, slow bodies, and slow readers",
    load: async () => (await import("./scenarios/slow.js")).slow,
  },
  memory: {
    about: "requests that fill the memory of a server with a small heap",
    load: async () => (await import("./scenarios/memory.js")).memory,
  },
  hostile: {
    about: "servers that attack a client, the command line, and an agent",
    load: async () => (await import("./scenarios/hostile.js")).hostile,
  },
  agent: {
    about: "clients of an agent server that do not read, or that send large messages",
    testedBy: "packages/agent/tests/socket/memory.system.test.ts",
    load: async () => (await import("./scenarios/agent.js")).agent,
  },
  redos: {
    about: "regular expressions that take too long",
    load: async () => (await import("./scenarios/redos.js")).redos,
  },
  lockfile: {
    about: "lock files with install scripts or foreign sources",
    load: async () => (await import("./scenarios/lock-file.js")).lockFile,
  },
};

/** Time limit for one attack in milliseconds. */
const MAX_MS = 1_200_000;

/** Runs the attacks. Returns true if all limits hold. @throws if `only` is not the name of an attack */
export async function runAttack({ isShort, seed, only, print }: SeededOptions): Promise<boolean> {
  const names = Object.keys(ATTACKS);
  if (only !== undefined && !names.includes(only))
    throw new TypeError(`--only must be one of ${names.join(", ")}; got ${only}.`);
  print(`Seed ${seed}${isShort ? ", short form" : ""}. Repeat with: npm run attack -- --seed ${seed}`);
  const figures: Figure[] = [];
  const selected = names.filter((name) =>
    only === undefined ? !isShort || ATTACKS[name]?.testedBy === undefined : name === only,
  );
  for (const name of selected) figures.push(...(await runScenario(name, { isShort, seed, print })));
  return printFigures(figures, print);
}

async function runScenario(
  name: string,
  { isShort, seed, print }: Omit<SeededOptions, "only">,
): Promise<readonly Figure[]> {
  const start = performance.now();
  const elapsed = () => `${((performance.now() - start) / 1_000).toFixed(1)} s`;
  const figures = new Figures(name, !isShort);
  const context: AttackContext = {
    isShort,
    figures,
    scale: isShort ? SHORT : FULL,
    random: createRandom(seed),
    print: (line) => print(`${name}: ${line} (${elapsed()})`),
  };
  const stop = new AbortController();
  try {
    const scenario = await ATTACKS[name]?.load();
    await Promise.race([scenario?.(context), timeOut(stop.signal)]);
  } catch (error) {
    print(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    figures.exactly("errors of the attack", 1, 0);
  } finally {
    stop.abort();
  }
  if (figures.all.length === 0) figures.atLeast("figures", 0, 1);
  print(`${name}: ended after ${elapsed()}`);
  return figures.all;
}

async function timeOut(signal: AbortSignal): Promise<never> {
  await sleep(MAX_MS, undefined, { signal });
  throw new Error(`The attack did not end within ${MAX_MS} ms.`);
}
