/**
 * @fileoverview Adds tokens for random users. Prints each addition when it begins and when it is acknowledged.
 * @module tests/agent/support/storage/usage-child
 */
import { randomInt } from "node:crypto";
import { writeSync } from "node:fs";
import { UsageLedger } from "../../../src/storage/usage-ledger.js";

const [, , folder = "", time = "0"] = process.argv;
const ledger = new UsageLedger({ folder, now: () => Number(time), maxUsers: 3 });

/** Adds tokens for one user after another. */
async function work(): Promise<void> {
  for (;;) {
    const addition = [`user-${randomInt(8)}`, randomInt(1, 1000)] as const;
    // Synchronous, so that a printed line is in the pipe even if this process is killed.
    writeSync(1, `${JSON.stringify(["begin", ...addition])}\n`);
    await ledger.add(...addition);
    writeSync(1, `${JSON.stringify(["done", ...addition])}\n`);
  }
}

await Promise.all(Array.from({ length: 4 }, work));
