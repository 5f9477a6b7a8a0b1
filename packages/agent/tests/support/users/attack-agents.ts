import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ModelPiece, ModelPort } from "../../../src/models/model-port.js";
import { defineTool } from "../../../src/tools/define-tool.js";
import type { AgentUser, AgentUsers } from "../../../src/users/user.js";
import { type Running, startServer, temporaryFolder } from "../socket/clients.js";
import { connectClient, type Received, type TestClient } from "../socket/test-client.js";

/** Word that only Ada's tasks contain. */
export const SECRET = "xylophone";

/** Users of the test server. Carol may watch all tasks of Ada, and Wanda may only watch. */
const USERS: Readonly<Record<string, AgentUser>> = {
  ada: { id: "ada" },
  bob: { id: "bob" },
  carol: { id: "carol" },
  wanda: { id: "wanda", canWrite: false },
};

export const users: AgentUsers = {
  identify: (token) => USERS[token],
  access: (user, { owner }) => {
    if (owner === user.id) return "write";
    return owner === "ada" && user.id === "carol" ? "watch" : undefined;
  },
};

/** Tool whose calls wait for approval. */
const danger = defineTool({
  name: "danger",
  description: "Does something dangerous",
  whenToUse: "Never",
  params: [],
  useExamples: [],
  approval: "ask",
  invoke: async () => ({ message: "Done", toolResult: undefined }),
});

/** Does what the last message of the user says. */
const model: ModelPort = async function* ({ messages }, signal): AsyncGenerator<ModelPiece> {
  const text = JSON.stringify(messages.findLast(({ role }) => role === "user")?.content ?? "");
  if (text.includes("hang")) {
    yield `Working on ${SECRET}. `;
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  } else if (messages.at(-1)?.role !== "user") yield "Done.";
  else if (text.includes("ask me")) yield "<danger></danger>";
  else if (text.includes("delegate"))
    yield `<assignTasks><tasklist><task>Find the ${SECRET}</task></tasklist></assignTasks>`;
  else yield `The ${SECRET} is in the attic.`;
};

/** Starts a server with users. */
export async function startWithUsers(
  storage = temporaryFolder(),
): Promise<Running & { readonly storage: string }> {
  const running = await startServer(
    (builder) => builder.storagePath(storage).model(model).registerTool(danger),
    { users },
  );
  return { ...running, storage };
}

/** Connects a user and waits for the first messages. */
export async function enter(url: string, user: string): Promise<TestClient> {
  const client = await connectClient(url);
  client.send({ type: "authenticate", data: { token: user } });
  await client.take("connected");
  await client.take("sessionHistories");
  return client;
}

/** Tasks of Ada in different states, and IDs that belong to them. */
export interface AdasTasks {
  readonly idle: string;
  readonly waiting: string;
  readonly running: string;
  readonly subtask: string;
  /** ID of the call that waits for approval. */
  readonly approvalId: string;
}

/** Creates Ada's tasks. Ada's client watches all of them. */
export async function createTasks(ada: TestClient): Promise<AdasTasks> {
  await say(ada, { message: `Where is the ${SECRET}?`, taskId: "adas-idle", messageId: "adas-message" });
  await ada.take("conversationOver");
  await say(ada, { message: `Please delegate the ${SECRET}.`, taskId: "adas-parent" });
  await ada.take("conversationOver");
  const subtask = String((await ada.take("assignTaskUpdated")).data["taskId"]);
  await say(ada, { message: `First ask me about the ${SECRET}.`, taskId: "adas-waiting" });
  const approvalId = String((await ada.take("approval")).data["approvalId"]);
  await ada.take("conversationOver");
  await say(ada, { message: `Please hang and keep the ${SECRET}.`, taskId: "adas-running" });
  await ada.take("message");
  return { idle: "adas-idle", waiting: "adas-waiting", running: "adas-running", subtask, approvalId };
}

/** Sends a message to the model and waits until it is stored. */
export async function say(client: TestClient, data: object): Promise<void> {
  client.send({ type: "userSendMessage", data });
  expect((await client.take("ack")).data["status"]).toBe("acked");
}

/**
 * Sends a message about a task, and returns everything that the client receives, with `id` replaced. Other requests
 * follow the message, so that a late part of the response is noticed.
 */
export async function viewOf(client: TestClient, message: Received, id: string): Promise<readonly unknown[]> {
  client.received.length = 0;
  client.send(message);
  const response = [await client.take("ack")];
  if (response[0]?.data["status"] === "failed") response.push(await client.take("error"));
  await barrier(client);
  response.push(...client.received.splice(0));
  const shown = response.map(({ type, data: { updateTime: _time, ...data } }) => ({ type, data }));
  return JSON.parse(JSON.stringify(shown).replaceAll(id, "ID")) as readonly unknown[];
}

/** Waits for the responses to three requests in a row. */
export async function barrier(client: TestClient): Promise<void> {
  for (let count = 0; count < 3; count++) {
    const search = `barrier ${count} ${Math.random()}`;
    client.send({ type: "listTasks", data: { search } });
    expect((await client.take("taskList")).data["search"]).toBe(search);
  }
}

/** Returns the contents of all files in the storage folder, by path. */
export function filesIn(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.toSorted().map((path) => [path, readFileSync(path, "utf8")]));
}
