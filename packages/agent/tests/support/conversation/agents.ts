import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "vitest";
import type { ConversationOptions } from "../../../src/conversation/options.js";
import type { ToolDefinition } from "../../../src/tools/define-tool.js";
import type { ModelConversation, ModelPiece, ModelPort } from "../../../src/models/model-port.js";
import {
  connectClient,
  type Received,
  type Running,
  startServer,
  temporaryFolder,
  type TestClient,
} from "../socket/clients.js";

/** An agent and the conversations that its model received. */
export interface Agent extends Running {
  readonly asked: ModelConversation[];
  readonly storage: string;
}

/** Options for a test agent. */
export interface AgentParts {
  /** Answers in order, one for each request to the model. Functions are called. */
  readonly answers?: readonly (readonly ModelPiece[] | ModelPort)[];
  readonly tools?: readonly ToolDefinition[];
  readonly options?: ConversationOptions;
  readonly toolCalls?: "xml" | "native";
  readonly storage?: string;
}

/** Starts an agent whose model returns the responses in order. */
export async function startAgent(parts: AgentParts): Promise<Agent> {
  const { answers = [], tools = [], options, toolCalls, storage = temporaryFolder() } = parts;
  const asked: ModelConversation[] = [];
  const model: ModelPort = async function* (conversation, signal) {
    const answer = answers[asked.length];
    asked.push(structuredClone(conversation));
    if (answer === undefined) throw new Error("The test does not define an answer for this request.");
    if (typeof answer === "function") yield* answer(conversation, signal);
    else yield* slowly(answer);
  };
  const running = await startServer((builder) => {
    builder.storagePath(storage).model(Object.assign(model, { toolCalls }), options);
    for (const tool of tools) builder.registerTool(tool);
    return builder;
  });
  return { ...running, asked, storage };
}

/** Yields each piece in a separate turn of the event loop. */
async function* slowly(pieces: readonly ModelPiece[]): AsyncGenerator<ModelPiece> {
  for (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}

/** Connects a client and waits for its first messages. */
export async function join(url: string): Promise<TestClient> {
  const client = await connectClient(url);
  await client.take("sessionHistories");
  await client.take("connected");
  return client;
}

/** Sends a user message and returns the ID of its task. */
export async function say(client: TestClient, message: string, taskId?: string): Promise<string> {
  client.send({ type: "userSendMessage", data: { message, ...(taskId === undefined ? {} : { taskId }) } });
  const { data } = await client.take("ack");
  expect(data["status"]).toBe("acked");
  return String(data["taskId"]);
}

/** Waits until the run has ended. Returns the reason and all messages up to that point. */
export async function over(
  client: TestClient,
): Promise<{ readonly reason: unknown; readonly sent: readonly Received[] }> {
  const { data } = await client.take("conversationOver");
  const sent = client.received.splice(0);
  const isOther = ({ type }: Received) => type !== "sessionHistories" && type !== "usage";
  return { reason: data["reason"], sent: sent.filter(isOther) };
}

/** Loads the history of a task. */
export async function load(
  client: TestClient,
  taskId: string,
): Promise<{ readonly status: unknown; readonly messages: readonly Received[] }> {
  client.send({ type: "loadTask", data: { taskId } });
  await client.take("ack");
  const { data } = await client.take("taskHistory");
  expect(data["taskId"]).toBe(taskId);
  return { status: data["status"], messages: data["messages"] as readonly Received[] };
}

/** Lists the message types in order, with the texts of complete messages. */
export function outline(messages: readonly Received[]): readonly string[] {
  return messages
    .filter(({ data }) => data["partial"] !== true)
    .map(({ type, data }) => {
      const texts = [data["toolName"], data["question"], data["message"]];
      const text = texts.find((value) => typeof value === "string") ?? "";
      const status = typeof data["status"] === "string" ? ` (${data["status"]})` : "";
      return `${type}: ${text}${status}`;
    });
}

/** Creates a model that sends some pieces and then hangs until its signal aborts. */
export function hangAfter(...pieces: readonly ModelPiece[]): ModelPort {
  return async function* (_conversation, signal) {
    yield* slowly(pieces);
    await new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  };
}
