/**
 * @fileoverview Fills a small disk or a file size limit, and prints the outcome.
 * @module tests/agent/support/storage/full-disk-child
 */
import { TaskStore } from "../../../src/storage/task-store.js";
import { StorageError } from "../../../src/storage/storage-error.js";

const [, , folder = ""] = process.argv;
const say = (text: string) => ({ shown: { type: "message", data: { message: text } } });
const store = new TaskStore({ folder });
const log = await store.create({ taskId: "task", title: "" });

const saved: string[] = [];
const failures: unknown[] = [];

// Groups of ten, so that the failing write contains lines that fit and lines that do not.
for (let group = 0; failures.length === 0; group++) {
  const texts = Array.from({ length: 10 }, (_, index) => `${group}-${index}-${"x".repeat(3000)}`);
  const results = await Promise.allSettled(texts.map((text) => log.append(say(text))));
  results.forEach((result, index) => {
    if (result.status === "rejected") failures.push(result.reason);
    else saved.push(texts[index] ?? "");
  });
}

// A small entry still fits.
await log.append(say("small"));
saved.push("small");
await store.release(log);

const [failure] = failures;
const again = await new TaskStore({ folder }).open("task");
process.stdout.write(
  JSON.stringify({
    failure: failure instanceof StorageError ? failure.message : "no StorageError",
    cause: failure instanceof StorageError && failure.cause instanceof Error ? failure.cause.message : "",
    refused: failures.length,
    saved: saved.length,
    found: again?.entries.map(({ shown }) => shown?.data["message"]).join() === saved.join(),
  }),
);
