import { describe, test } from "vitest";
import type { SharedStore } from "tenon/stores";
import type { EngineLimits, TaskEngine } from "tenon/tasks";
import {
  busContract,
  eventLogContract,
  keyValueContract,
  rateLimitsContract,
  sessionRecordsContract,
} from "../../../src/stores/contract/store-contracts.js";
import type { ContractCase } from "../../../src/tasks/contract/harness.js";
import type { StoreHarness } from "../../../src/stores/contract/harness.js";
import { taskEngineContract } from "../../../src/tasks/contract/task-engine-contract.js";
import type { TaskEngineHarness } from "../../../src/tasks/contract/harness.js";
import { ManualClock } from "../../support/tasks/engine-harnesses.js";
import { createHost, link, type Linked } from "../../support/transport/workers/linked.js";

type Part = "sessions" | "values" | "events" | "bus" | "rateLimits";

/** Creates a harness for one part of a store, with peers in other processes. */
function createHarness<Name extends Part, Limits>(part: Name): StoreHarness<SharedStore[Name], Limits> {
  const clock = new ManualClock();
  const links = new Map<SharedStore[Name], { host: ReturnType<typeof createHost>["host"]; linked: Linked }>();
  const open = (host: ReturnType<typeof createHost>["host"]) => {
    const linked = link(host);
    const store = linked.store[part];
    links.set(store, { host, linked });
    return store;
  };
  return {
    clock,
    createStore: (limits) =>
      open(
        createHost({
          ports: { now: () => clock.now() },
          ...(part === "events" || part === "sessions" ? { [part]: limits ?? {} } : {}),
        }).host,
      ),
    createPeer: (store) => {
      const known = links.get(store);
      if (known === undefined) throw new Error("Unknown store");
      return open(known.host);
    },
    closeStore: (store) => links.get(store)?.linked.cut(),
  };
}

const CONTRACTS: Readonly<Record<string, readonly ContractCase[]>> = {
  "key-value store": keyValueContract(createHarness("values")),
  "records of sessions": sessionRecordsContract(createHarness("sessions")),
  "event log": eventLogContract(createHarness("events")),
  bus: busContract(createHarness("bus")),
  "rate limiter": rateLimitsContract(createHarness("rateLimits")),
};

describe.each(Object.entries(CONTRACTS))(
  "the %s of another process fulfills the contract",
  (_name, cases) => {
    test.each(cases.map(({ title, run }) => [title, run] as const))("%s", (_title, run) => run());
  },
);

const LIMITS: EngineLimits = {
  concurrency: 64,
  concurrencyPerPrincipal: 16,
  maxTasks: 10_000,
  maxTasksPerPrincipal: 1_000,
  maxTotalBytes: 256 * 1_048_576,
};

const NO_SEALER = { seal: async (text: string) => text, open: async (sealed: string) => sealed };

function createEngineHarness(): TaskEngineHarness {
  const clock = new ManualClock();
  const hosts = new Map<TaskEngine, ReturnType<typeof createHost>["host"]>();
  const cuts = new Map<TaskEngine, () => void>();
  const open = (host: ReturnType<typeof createHost>["host"], limits: EngineLimits) => {
    const { store, cut } = link(host);
    const engine = store.createTaskEngine({ server: "contract", sealer: NO_SEALER, limits });
    hosts.set(engine, host);
    cuts.set(engine, cut);
    return engine;
  };
  const reopen = (engine: TaskEngine) => {
    const host = hosts.get(engine);
    if (host === undefined) throw new Error("Unknown engine");
    return open(host, LIMITS);
  };
  return {
    limits: ["concurrency", "concurrencyPerPrincipal", "maxTasks", "maxTasksPerPrincipal", "maxTotalBytes"],
    clock,
    createEngine: (limits) =>
      open(createHost({ ports: { now: () => clock.now() } }).host, { ...LIMITS, ...limits }),
    createPeer: reopen,
    reopen(engine) {
      cuts.get(engine)?.();
      return reopen(engine);
    },
  };
}

describe("the task engine of another process fulfills the contract", () => {
  for (const { title, run } of taskEngineContract(createEngineHarness())) test(title, run);
});
