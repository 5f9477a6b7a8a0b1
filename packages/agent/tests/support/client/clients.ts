import { once } from "node:events";
import { createServer, connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createAgentClient } from "../../../src/client/agent-client.js";
import type { AgentClientOptions } from "../../../src/client/options.js";
import type { AgentClient, AgentState, TaskState } from "../../../src/client/types.js";

/** Connects a client to a real server. It is closed when the test ends. */
export async function joinAs<Messages extends object = {}>(
  url: string,
  options: Partial<AgentClientOptions> = {},
): Promise<AgentClient<Messages>> {
  const client = createAgentClient<Messages>({
    url,
    WebSocket,
    reconnect: { minDelay: 20, maxDelay: 200 },
    ...options,
  });
  onTestFinished(() => client.close());
  await client.connect();
  return client;
}

/** Waits until the state meets a condition. */
export function until(client: AgentClient<never>, isMet: (state: AgentState) => boolean): Promise<void> {
  return new Promise((resolve) => {
    let off: () => void = () => undefined;
    const look = (state: AgentState) => {
      if (!isMet(state)) return;
      off();
      resolve();
    };
    off = client.subscribe(look);
    look(client.state);
  });
}

/** Returns an open task. */
export function taskIn(client: { readonly state: AgentState }, taskId: string): TaskState {
  const task = client.state.open.get(taskId);
  if (task === undefined) throw new Error(`Task "${taskId}" is not open.`);
  return task;
}

/** Waits until an open task is no longer running. */
export async function untilOver(client: AgentClient<never>, taskId: string): Promise<TaskState> {
  await until(client, ({ open }) => open.get(taskId)?.isRunning === false);
  return taskIn(client, taskId);
}

/** Lists the message types with their texts. */
export function outline({ messages }: TaskState): readonly string[] {
  return messages.map(({ type, data }) => `${type}: ${"message" in data ? data.message : ""}`);
}

/** Forwards TCP connections to a server, until the test cuts them. */
export async function openProxy(port: number) {
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    const server = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [socket, server],
      [server, socket],
    ] as const) {
      sockets.add(from);
      from.on("error", () => undefined);
      from.on("data", (data) => {
        if (from === socket || !shared.isDeaf) to.write(data);
      });
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const shared = {
    url: "",
    /** True while the server's data is dropped. */
    isDeaf: false,
    /** Cuts all connections. */
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    shared.cut();
    proxy.close();
  });
  const address = proxy.address();
  shared.url = `ws://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return shared;
}
