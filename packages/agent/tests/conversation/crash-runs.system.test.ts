import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { compileProgram } from "../../../../tools/compile-program.js";
import { ROOT } from "../../../../tools/source-files.js";
import { connectClient, temporaryFolder, type TestClient } from "../support/socket/clients.js";
import { load } from "../support/conversation/agents.js";

const CHILD = fileURLToPath(new URL("../support/conversation/crash-runs-child.ts", import.meta.url));
/** Number of kills. For more: `CRASH_REPEATS=100 npx vitest run packages/agent/tests/conversation/crash-runs.system.test.ts`. */
const KILLS = Number(process.env["CRASH_REPEATS"] ?? 8);
const TASKS = ["one", "two", "three"];

/** Facts that the server acknowledged, by task. */
class Acknowledged {
  readonly messages: string[] = [];
  readonly decisions = new Map<string, string>();
  sent = 0;
}

async function startChild(storage: string, effects: string) {
  const child = spawn(process.execPath, [compileProgram(CHILD), storage, effects], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const kill = async () => {
    child.kill("SIGKILL");
    await closed;
  };
  onTestFinished(kill);
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { url, kill };
}

/** Brings a task to the user's turn: resumes it, or decides about its calls. Returns its messages. */
async function settle(client: TestClient, taskId: string, known: Acknowledged) {
  for (;;) {
    const history = await load(client, taskId);
    if (history.status === "idle") return history.messages;
    expect(["waiting", "aborted"]).toContain(history.status);
    client.received.length = 0;
    if (history.status === "aborted") {
      client.send({ type: "resume", data: { taskId } });
      await client.take("ack");
      await client.take("conversationOver");
      continue;
    }
    const waiting = history.messages.filter(
      ({ type, data }) => type === "approval" && data["status"] === "waiting",
    );
    expect(waiting.length).toBeGreaterThan(0);
    for (const { data } of waiting)
      await decide(client, taskId, { known, approvalId: String(data["approvalId"]) });
    await client.take("conversationOver");
  }
}

async function decide(
  client: TestClient,
  taskId: string,
  { known, approvalId }: { readonly known: Acknowledged; readonly approvalId: string },
): Promise<void> {
  const decision = randomInt(2) === 0 ? "approve" : "deny";
  client.send({ type: "answerApproval", data: { taskId, approvalId, decision } });
  const { data } = await client.take("ack");
  expect(data["status"]).toBe("acked");
  known.decisions.set(approvalId, decision === "approve" ? "approved" : "denied");
}

/** Talks to the agent until the connection is lost. `onStep` is called after each acknowledged step. */
async function talk(
  url: string,
  taskId: string,
  { known, onStep }: { known: Acknowledged; onStep: () => void },
) {
  const client = await connectClient(url);
  if (known.sent > 0) await settle(client, taskId, known);
  for (;;) {
    const message = `Message ${++known.sent}`;
    client.send({ type: "userSendMessage", data: { message, taskId } });
    const { data } = await client.take("ack");
    expect(data["status"]).toBe("acked");
    known.messages.push(message);
    onStep();
    const { data: end } = await client.take("conversationOver");
    onStep();
    if (end["reason"] === "approval") await settle(client, taskId, known);
    onStep();
    client.received.length = 0;
  }
}

test(
  `a server that is killed ${KILLS} times loses nothing it acknowledged, and no tool runs twice`,
  { timeout: 60_000 + KILLS * 15_000 },
  async () => {
    const folder = temporaryFolder();
    const [storage, effects] = [`${folder}/storage`, `${folder}/effects.txt`];
    const known = new Map(TASKS.map((taskId) => [taskId, new Acknowledged()]));
    for (let kill = 0; kill < KILLS; kill++) {
      const child = await startChild(storage, effects);
      let left = randomInt(1, 40);
      // A random delay after the step, so that the process dies at any point of a run.
      const onStep = () => {
        if (--left === 0) setTimeout(() => void child.kill(), randomInt(0, 12));
      };
      const talks = [...known].map(([taskId, acknowledged]) =>
        talk(child.url, taskId, { known: acknowledged, onStep }),
      );
      for (const outcome of await Promise.allSettled(talks)) {
        // The only reason to stop is the lost connection.
        if (outcome.status === "rejected")
          expect(String(outcome.reason)).toMatch(/closed|ECONN|socket hang up/i);
      }
      await child.kill();
    }
    await checkAll(storage, effects, known);
  },
);

async function checkAll(
  storage: string,
  effects: string,
  known: ReadonlyMap<string, Acknowledged>,
): Promise<void> {
  const child = await startChild(storage, effects);
  let compactions = 0;
  for (const [taskId, acknowledged] of known) {
    const client = await connectClient(child.url);
    if (acknowledged.messages.length === 0) continue;
    const messages = await settle(client, taskId, acknowledged);
    const said = messages.flatMap(({ type, data }) =>
      type === "userSendMessage" ? [String(data["message"])] : [],
    );
    expect(said).toEqual(expect.arrayContaining(acknowledged.messages));
    expect(new Set(said).size).toBe(said.length);
    const states = new Map(
      messages.flatMap(({ type, data }) =>
        type === "approval" ? [[data["approvalId"], data["status"]]] : [],
      ),
    );
    for (const [approvalId, decision] of acknowledged.decisions)
      expect(states.get(approvalId)).toBe(decision);
    compactions += messages.filter(({ type }) => type === "compaction").length;
    client.send({ type: "userSendMessage", data: { message: "Still there?", taskId } });
    expect((await client.take("conversationOver")).data["reason"]).toBe("answered");
  }
  await child.kill();
  const lines = existsSync(effects) ? readFileSync(effects, "utf8").trim().split("\n") : [];
  expect(lines.filter((line, index) => lines.indexOf(line) !== index)).toEqual([]);
  if (process.env["CRASH_REPEATS"] !== undefined) {
    const acked = [...known.values()].reduce((sum, { messages }) => sum + messages.length, 0);
    const decided = [...known.values()].reduce((sum, { decisions }) => sum + decisions.size, 0);
    process.stderr.write(
      `${KILLS} kills: ${acked} messages and ${decided} decisions acknowledged, 0 lost; ${lines.length} calls, 0 twice; ${compactions} compactions\n`,
    );
    expect(compactions).toBeGreaterThan(0);
  }
}
