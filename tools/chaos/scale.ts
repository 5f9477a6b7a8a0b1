/**
 * @fileoverview Counts and times of the chaos test: in full, and in the short form that the tests use.
 * @module tools/chaos/scale
 */
import type { Cluster } from "./cluster.js";
import type { Figures } from "../figures.js";
import type { NodeGroup } from "./node-group.js";
import type { Random } from "../random.js";

/** Counts and times. */
export interface Scale {
  readonly tasks: number;
  readonly kills: number;
  /** Range of the time between two kills in milliseconds. */
  readonly killEveryMs: readonly [least: number, most: number];
  readonly asks: number;
  /** Asks between two kills. */
  readonly asksPerRound: number;
  readonly stepTasks: number;
  readonly stepKills: number;
  readonly streams: number;
  readonly streamKills: number;
  readonly updates: number;
  readonly subscriptionRounds: number;
  readonly pauseMs: number;
  readonly alterations: number;
  readonly foreignReads: number;
  /** Rounds of the scenarios that aim each fault at one moment. */
  readonly aimedRounds: number;
  /** Nodes of a scenario that starts its own. */
  readonly groupSize: number;
  /** Faults of a scenario that runs under mixed load. */
  readonly loadFaults: number;
}

/** Parts of a scenario. */
export interface ScenarioContext {
  readonly cluster: Cluster;
  readonly scale: Scale;
  readonly random: Random;
  readonly figures: Figures;
  /** Registers a task that runs when the scenario ends, also if it fails. The last one runs first. */
  readonly atEnd: (task: () => unknown) => void;
  /** Prints a line. */
  readonly print: (line: string) => void;
}

/** Parts of a scenario that needs only nodes. */
export type GroupContext = Omit<ScenarioContext, "cluster"> & { readonly cluster: NodeGroup };

/** Full test. */
export const FULL: Scale = {
  tasks: 10_000,
  kills: 100,
  // Long enough that the next kill rarely hits the node that takes over.
  killEveryMs: [3_000, 4_500],
  asks: 1_000,
  asksPerRound: 100,
  stepTasks: 600,
  stepKills: 20,
  streams: 150,
  streamKills: 20,
  updates: 200,
  subscriptionRounds: 60,
  pauseMs: 10_000,
  alterations: 10_000,
  foreignReads: 10_000,
  aimedRounds: 40,
  groupSize: 3,
  loadFaults: 15,
};

/** Form for the tests. */
export const SHORT: Scale = {
  tasks: 300,
  kills: 6,
  killEveryMs: [500, 1_500],
  asks: 20,
  asksPerRound: 10,
  stepTasks: 40,
  stepKills: 2,
  streams: 8,
  streamKills: 2,
  updates: 40,
  subscriptionRounds: 5,
  pauseMs: 2_500,
  alterations: 500,
  foreignReads: 500,
  aimedRounds: 4,
  groupSize: 2,
  loadFaults: 2,
};
