/**
 * @fileoverview Program for tests that locks and unlocks a directory, as told by lines of its input. It prints the outcome
 * of each.
 * @module tests/tasks/directory-lock-holder
 */
import { createInterface } from "node:readline";
import { type DirectoryLock, lockDirectory } from "../../src/tasks/directory/directory-lock.js";

const [, , directory = ""] = process.argv;
let lock: DirectoryLock | undefined;

async function run(command: string): Promise<string> {
  if (command === "unlock") {
    await lock?.release();
    lock = undefined;
    return "unlocked";
  }
  try {
    lock = await lockDirectory(directory);
    return "locked";
  } catch (error) {
    return String(error);
  }
}

createInterface({ input: process.stdin }).on("line", (command) => {
  void run(command).then((outcome) => process.stdout.write(`${outcome}\n`));
});
process.stdout.write("ready\n");
