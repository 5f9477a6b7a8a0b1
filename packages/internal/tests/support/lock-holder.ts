/**
 * @fileoverview Program for tests that creates and releases a lock file, as told by lines of its input. It prints the
 * outcome of each.
 * @module internal/tests/support/lock-holder
 */
import { createInterface } from "node:readline";
import { acquireLock, type HeldLock } from "../../src/files/held-lock.js";
import { nameHolder } from "../../src/files/lock-file.js";

const [, , path = ""] = process.argv;
let lock: HeldLock | undefined;

async function run(command: string): Promise<string> {
  if (command === "unlock") {
    await lock?.release();
    lock = undefined;
    return "unlocked";
  }
  const attempt = await acquireLock(path);
  if (!attempt.ok) return `held by ${nameHolder(attempt.holder)}`;
  lock = attempt.lock;
  return "locked";
}

createInterface({ input: process.stdin }).on("line", (command) => {
  void run(command).then((outcome) => process.stdout.write(`${outcome}\n`));
});
process.stdout.write("ready\n");
