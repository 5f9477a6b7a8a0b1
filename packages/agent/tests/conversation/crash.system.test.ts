import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { compileProgram } from "../../../../tools/compile-program.js";
import { ROOT } from "../../../../tools/source-files.js";
import { connectClient, temporaryFolder, type TestClient } from "../support/socket/clients.js";
import { load } from "../support/conversation/agents.js";

const CHILD = fileURLToPath(new URL("../support/conversation/crash-child.ts", import.meta.url));
/** Number of runs. For more: `CRASH_REPEATS=20 npx vitest run packages/agent/tests/conversation/crash.system.test.ts`. */
const REPEATS = Number(process.env["CRASH_REPEATS"] ?? 2);
const isFull = process.env["CRASH_REPEATS"] !== undefined;
const MESSAGES = isFull ? 10_000 : 600;
const TASKS = 20;

/** Starts the server. Returns its URL and a function that kills it. */
async function startChild(storage: string) {
  const child = spawn(process.execPath, [compileProgram(CHILD), storage], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return {
    url,
    async kill() {
      child.kill("SIGKILL");
      await closed;
    },
  };
}

/** Sends messages until the connection is lost, and records the acknowledged ones. */
async function write(client: TestClient, taskId: string, note: (text: string) => void): Promise<void> {
  for (let index = 0; index < MESSAGES / TASKS; index++) {
    const message = `${taskId} says ${index} ${"é".repeat((index * 7_919) % 300)}`;
    client.send({ type: "userSendMessage", data: { message, taskId } });
    const { data } = await client.take("ack");
    expect(data).toMatchObject({ taskId, status: "acked", targetMessage: { data: { message } } });
    note(message);
    await client.take("conversationOver");
    client.received.length = 0;
  }
}

test(
  `a server that is killed while ${MESSAGES} messages are written loses no acknowledged message (${REPEATS} runs)`,
  { timeout: 30_000 + REPEATS * (isFull ? 60_000 : 10_000) },
  async () => {
    for (let repeat = 1; repeat <= REPEATS; repeat++) {
      const storage = temporaryFolder();
      const first = await startChild(storage);
      const acknowledged = new Map<string, string[]>();
      const enough = randomInt(1, MESSAGES - 100);
      let count = 0;
      const writers = Array.from({ length: TASKS }, async (_, index) => {
        const taskId = `task-${index}`;
        const said: string[] = [];
        acknowledged.set(taskId, said);
        const client = await connectClient(first.url);
        await write(client, taskId, (message) => {
          said.push(message);
          if (++count === enough) void first.kill();
        });
      });
      const outcomes = await Promise.allSettled(writers);
      expect(outcomes.filter(({ status }) => status === "rejected").length).toBeGreaterThan(0);

      const second = await startChild(storage);
      const client = await connectClient(second.url);
      let found = 0;
      for (const [taskId, said] of acknowledged) {
        if (said.length === 0) continue;
        const { messages } = await load(client, taskId);
        const kept = messages
          .filter(({ type }) => type === "userSendMessage")
          .map(({ data }) => data["message"]);
        found += kept.length;
        expect(kept.slice(0, said.length)).toEqual(said);
        // The last message may be stored although its acknowledgment was not sent.
        expect(kept.length - said.length).toBeLessThanOrEqual(1);
      }
      if (isFull) process.stderr.write(`kill ${repeat}: acknowledged ${count}, found ${found}, lost 0\n`);
      await second.kill();
    }
  },
);
