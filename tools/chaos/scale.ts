/**
 * @fileoverview Counts and times of the chaos test: in full, and in the short form that the tests use.
 * @module tools/chaos/scale
 */
import type { Cluster } from "./cluster.js";
import type { Figures } from "../figures.js";
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
  readonly pauseMs: number;
  readonly alterations: number;
  readonly foreignReads: number;
}

/** Parts of a scenario. */
export interface ScenarioContext {
  readonly cluster: Cluster;
  readonly scale: Scale;
  readonly random: Random;
  readonly figures: Figures;
  /** Prints a line. */
  readonly print: (line: string) => void;
}

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
  pauseMs: 10_000,
  alterations: 10_000,
  foreignReads: 10_000,
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
  pauseMs: 2_500,
  alterations: 500,
  foreignReads: 500,
};
