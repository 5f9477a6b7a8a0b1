import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { mountDisk } from "../../../../tests/support/small-disk.js";
import { connect, createErrorLog, taskServer } from "../support/tasks/task-client.js";

/** A disk that was full left a file behind with each attempt, and the log did not name the directory. */

async function start(directory: string) {
  const { errors, log } = createErrorLog();
  const server = taskServer({ directory }, { log })
    .tool("work", {
      task: "optional",
      input: z.object({ text: z.string().default("") }),
      handler: () => "done",
    })
    .tool("plain", { handler: () => "still here" })
    .build();
  const client = await connect(server);
  const close = async () => {
    server.close();
    await server.idle();
  };
  return { ...client, errors, close };
}

/** Expects that tasks fail with a reason in the log, and that other calls work. */
async function expectFailure({ create, call, errors }: Awaited<ReturnType<typeof start>>, reason: string) {
  // More than what the file system has reserved for files that exist.
  const text = "x".repeat(20_000);
  for (const _attempt of [1, 2, 3])
    await expect(create("work", { text })).rejects.toMatchObject({ message: "Internal error" });
  expect(await call("plain")).toMatchObject({ content: [{ text: "still here" }] });
  expect(errors.length).toBeGreaterThan(0);
  expect(new Set(errors.map(String))).toEqual(new Set([reason]));
}

test("on a full disk, tasks fail with the directory and the reason, and continue when there is room", async (context) => {
  const disk = await mountDisk(context);
  const directory = join(disk.path, "tasks");
  disk.fill();
  const first = await start(directory);
  await expectFailure(first, `Error: Could not open the task directory "${directory}": the disk is full.`);
  expect(existsSync(directory) ? readdirSync(directory) : []).toEqual([]);
  disk.empty();
  const { taskId } = await first.run("work");
  await first.close();

  const second = await start(directory);
  expect((await second.get(taskId)).status).toBe("completed");
  disk.fill();
  await expectFailure(
    second,
    `Error: Could not write to the task directory "${directory}": the disk is full.`,
  );
  expect((await second.get(taskId)).status).toBe("completed");
  disk.empty();
  const next = await second.run("work");
  await second.close();

  const third = await start(directory);
  for (const id of [taskId, next.taskId]) expect((await third.get(id)).status).toBe("completed");
  expect(third.errors).toEqual([]);
  await third.close();
  expect(readdirSync(directory).toSorted()).toEqual(["key", "tasks.log"]);
});

test("on a read-only file system, tasks fail with the directory and the reason", async (context) => {
  const disk = await mountDisk(context);
  const directory = join(disk.path, "tasks");
  const first = await start(directory);
  const { taskId } = await first.run("work");
  await first.close();
  await disk.setReadOnly(true);
  for (const path of [directory, join(disk.path, "missing")]) {
    const server = await start(path);
    const reason = `Could not open the task directory "${path}": the file system is read-only.`;
    await expectFailure(server, `Error: ${reason}`);
    await server.close();
  }
  await disk.setReadOnly(false);
  const last = await start(directory);
  expect((await last.get(taskId)).status).toBe("completed");
  await last.close();
});
