/**
 * @fileoverview Transports of the soak test: their server processes, and their load.
 * @module tools/soak/targets
 */
import { createRandom } from "../random.js";
import { type AgentPace, loadAgent } from "./agent-load.js";
import { type Era, SoakClient } from "./client.js";
import { httpWithSse, streamableHttp } from "./http-wires.js";
import { loadClient, loadConnections, loadHttp, optionsOf } from "./load.js";
import type { LoadPlan, Mode } from "./protocol.js";
import { ServerProcess, type ServerProcessOptions } from "./server-process.js";
import { lines } from "./stream-wires.js";
import type { Activity, Tally } from "./tally.js";

/** Running transport. */
export interface Target {
  /** Server processes by name. */
  readonly processes: Readonly<Record<string, ServerProcess>>;
  /** Runs clients until the time of the plan is over. */
  load(plan: LoadPlan & AgentPace, tally: Tally): Promise<void>;
}

/** Starts a transport. */
type StartTarget = (options: Omit<ServerProcessOptions, "mode">) => Promise<Target>;

const BOTH: readonly Era[] = ["legacy", "modern"];

const http =
  (mode: "http" | "fetch"): StartTarget =>
  async (options) => {
    const server = await ServerProcess.start({ ...options, mode });
    return {
      processes: { [mode]: server },
      async load(plan, tally) {
        const load = { name: mode, openWire: streamableHttp(server.port), eras: BOTH, tally };
        await Promise.all([loadConnections(plan, load), loadHttp(plan, server.port, load)]);
      },
    };
  };

const sse: StartTarget = async (options) => {
  const server = await ServerProcess.start({ ...options, mode: "sse" });
  return {
    processes: { sse: server },
    load: (plan, tally) =>
      loadConnections(plan, { name: "sse", openWire: httpWithSse(server.port), eras: ["legacy"], tally }),
  };
};

/** One process for each era. Their connections last as long as the processes. */
const stdio: StartTarget = async (options) => {
  const [legacy, modern] = await Promise.all(
    [1, 2].map(() => ServerProcess.start({ ...options, mode: "stdio" })),
  );
  if (legacy === undefined || modern === undefined) throw new Error("Two processes are started.");
  const clients = new Map<Era, SoakClient>();
  return {
    processes: { "stdio legacy": legacy, "stdio modern": modern },
    async load(plan, tally) {
      const loadEra = async (era: Era, { streams: { input, output } }: ServerProcess) => {
        const openWire = lines(input, output);
        const random = createRandom(plan.seed);
        const client =
          clients.get(era) ?? (await SoakClient.open(openWire, { ...optionsOf(plan, tally, random), era }));
        clients.set(era, client);
        await loadClient(plan, client, { name: "stdio", openWire, eras: [era], tally });
      };
      await Promise.all([loadEra("legacy", legacy), loadEra("modern", modern)]);
    },
  };
};

const memory: StartTarget = async (options) => {
  const server = await ServerProcess.start({ ...options, mode: "memory" });
  return {
    processes: { memory: server },
    load: async (plan, tally) => tally.merge(await server.load(plan)),
  };
};

const agent: StartTarget = async (options) => {
  const server = await ServerProcess.start({ ...options, mode: "agent" });
  return {
    processes: { agent: server },
    load: (plan, tally) => loadAgent(plan, server.port, { ...plan, tally }),
  };
};

/** Transports by name. */
export const TARGETS: Readonly<Record<Mode, StartTarget>> = {
  http: http("http"),
  fetch: http("fetch"),
  sse,
  stdio,
  memory,
  agent,
};

const CALLS: readonly Activity[] = [
  "requests",
  "connections",
  "cancelled calls",
  "progress notifications",
  "questions answered",
  "change notifications",
  "invalid requests",
];
const STATELESS: readonly Activity[] = ["listen streams", "tasks", "tasks cancelled", "tasks abandoned"];
const HTTP: readonly Activity[] = ["connections dropped", "streams resumed", "slow readers", "keyed calls"];

/** Activities of the clients of each transport. */
export const ACTIVITIES_OF: Readonly<Record<Mode, readonly Activity[]>> = {
  http: [...CALLS, ...STATELESS, ...HTTP],
  fetch: [...CALLS, ...STATELESS, ...HTTP],
  sse: [...CALLS, "connections dropped"],
  stdio: [...CALLS, ...STATELESS],
  memory: [...CALLS, ...STATELESS, "connections dropped", "flooded clients"],
  agent: ["connections", "connections dropped", "requests", "invalid requests", "agent messages"],
};
