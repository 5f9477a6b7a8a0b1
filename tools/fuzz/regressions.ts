/**
 * @fileoverview Saved cases: inputs that broke a promise, or that are hard to predict. They are replayed first in every run.
 * @module tools/fuzz/regressions
 */
import { Buffer } from "node:buffer";
import { readFileSync, writeFileSync } from "node:fs";
import type { Block } from "./block.js";

/** Saved case. */
export interface RegressionCase {
  readonly target: string;
  readonly note: string;
  readonly seed: number;
  /** Frames in base64. */
  readonly frames: readonly string[];
}

const FILE = new URL("regressions.json", import.meta.url);

/** Reads all cases. */
export function readRegressions(): readonly RegressionCase[] {
  return JSON.parse(readFileSync(FILE, "utf8")) as readonly RegressionCase[]; // Safe: `saveRegression` wrote it
}

/** Returns the block of a case. */
export function toBlock({ seed, frames }: RegressionCase): Block {
  return { seed, frames: frames.map((text) => ({ bytes: Buffer.from(text, "base64") })) };
}

/** Adds a case to the file. */
export function saveRegression(target: string, note: string, block: Block): void {
  const frames = block.frames.map(({ bytes }) => Buffer.from(bytes).toString("base64"));
  const saved: RegressionCase = { target, note, seed: block.seed, frames };
  writeFileSync(FILE, `${JSON.stringify([...readRegressions(), saved], undefined, 2)}\n`);
}
