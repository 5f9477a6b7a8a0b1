import { readdirSync } from "node:fs";
import { join as joinPath } from "node:path";
import { expect, test } from "vitest";
import { mountDisk } from "../../../../tests/support/small-disk.js";
import { type Agent, join, load, over, say, startAgent } from "../support/conversation/agents.js";
import type { TestClient } from "../support/socket/clients.js";

const ANSWERS = Array.from({ length: 5 }, (_, index) => [`Answer ${index}.`]);

/** Sends a message that does not fit into what the file system has reserved for files that exist. */
const complaint = (client: TestClient, taskId?: string) =>
  client.complaintAbout({
    type: "userSendMessage",
    data: { message: "x".repeat(20_000), ...(taskId === undefined ? {} : { taskId }) },
  });

async function exchange(client: TestClient, taskId?: string): Promise<string> {
  const id = await say(client, "Hello", taskId);
  expect((await over(client)).reason).toBe("answered");
  return id;
}

/** Returns the log line about a failure, without its stacks. */
const logged = ({ lines }: Agent, text: string) => lines.filter((line) => line.includes(text));

test("on a full disk, clients and the log get the reason, and conversations can still be read", async (context) => {
  const disk = await mountDisk(context, 1_024);
  const storage = joinPath(disk.path, "storage");
  const agent = await startAgent({ storage, answers: ANSWERS });
  const client = await join(agent.url);
  const taskId = await exchange(client);
  const files = readdirSync(storage).toSorted();
  disk.fill();
  const FULL = "the server's disk is full. Ask the operator to free disk space.";
  expect(await complaint(client, taskId)).toBe(`Could not save this message: ${FULL}`);
  await client.take("ack");
  expect(await complaint(client)).toBe(`Could not save the task: ${FULL}`);
  await client.take("ack");
  const path = joinPath(storage, taskId, "log.jsonl");
  for (const written of [path, storage])
    expect(logged(agent, `Could not write to "${written}": the disk is full.`)).toHaveLength(1);
  expect((await load(client, taskId)).messages.length).toBeGreaterThan(1);
  expect(readdirSync(storage).toSorted()).toEqual(files);
  disk.empty();
  await exchange(client, taskId);
});

test("on a read-only file system, clients and the log get the reason, and conversations can still be read", async (context) => {
  const disk = await mountDisk(context, 1_024);
  const storage = joinPath(disk.path, "storage");
  const first = await startAgent({ storage, answers: ANSWERS });
  const taskId = await exchange(await join(first.url));
  await first.server.stop();
  await disk.setReadOnly(true);
  const READ_ONLY = "the server cannot write to its storage folder. Ask the operator to make it writable";
  for (const folder of [storage, joinPath(disk.path, "missing")]) {
    const agent = await startAgent({ storage: folder, answers: ANSWERS });
    const client = await join(agent.url);
    expect(await complaint(client)).toBe(
      `Could not save the task: ${READ_ONLY} or to change \`storagePath\`.`,
    );
    await client.take("ack");
    expect(logged(agent, `Could not write to "${folder}": the file system is read-only.`)).toHaveLength(1);
    if (folder !== storage) continue;
    expect((await load(client, taskId)).messages.length).toBeGreaterThan(1);
    expect(await complaint(client, taskId)).toContain(`Could not save this message: ${READ_ONLY}`);
  }
});
