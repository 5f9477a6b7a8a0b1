/**
 * @fileoverview Server that speaks the messages of the agent server, and does what a test tells it. It shows the page states
 * that a model and tools reach only by chance, such as decisions of other users and texts that never end.
 * @module tests/agent-page/support/stub-server
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { createAgentPage } from "../../../packages/agent/src/page/index.js";

/** Message in either direction. */
export interface Frame {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Task of the stub. */
export interface StubTask {
  readonly taskId: string;
  title: string;
  updatedAt: string;
  status: string;
  parentTaskId?: string;
  canWrite?: boolean;
  usage?: object;
  readonly messages: Frame[];
}

/** User that the stub identifies. */
export interface StubUser {
  readonly userId?: string;
  readonly canWrite?: boolean;
}

/** Options of `StubServer.start`. */
export interface StubOptions {
  readonly page?: Parameters<typeof createAgentPage>[0];
  /** Token that clients must send. */
  readonly token?: string;
  readonly user?: StubUser;
  /** Responds to a message of the user. */
  readonly respond?: (stub: StubServer, taskId: string, text: string) => void;
}

/** Server that a test controls. */
export class StubServer {
  readonly tasks = new Map<string, StubTask>();
  /** Messages of clients, oldest first. */
  readonly received: Frame[] = [];
  /** User of the next connections. */
  user: StubUser | undefined;
  readonly #options: StubOptions;
  readonly #clients = new Set<WebSocket>();
  #http: Server | undefined;
  #port = 0;
  #time = Date.UTC(2026, 0, 15, 9, 30);

  private constructor(options: StubOptions) {
    this.#options = options;
    this.user = options.user;
  }

  /** Starts a server, which stops when the test ends. */
  static async start(options: StubOptions = {}): Promise<StubServer> {
    const stub = new StubServer(options);
    await stub.start();
    onTestFinished(() => stub.stop());
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Messages of clients with a type. */
  sent(type: string): readonly Frame["data"][] {
    return this.received.filter((frame) => frame.type === type).map(({ data }) => data);
  }

  /** Adds a task without telling the clients. */
  add(task: Partial<StubTask> & { readonly taskId: string }): StubTask {
    const added: StubTask = {
      title: task.taskId,
      updatedAt: new Date().toISOString(),
      status: "idle",
      messages: [],
      ...task,
    };
    this.tasks.set(task.taskId, added);
    return added;
  }

  /** Sends a message of a task to all clients, and stores it unless it is partial. Returns its time. */
  emit(taskId: string, type: string, data: Readonly<Record<string, unknown>> = {}): number {
    const updateTime = typeof data["updateTime"] === "number" ? data["updateTime"] : ++this.#time;
    const frame = { type, data: { taskId, ...data, updateTime } };
    if (data["partial"] !== true) this.#store(taskId, frame);
    this.broadcast(frame);
    return updateTime;
  }

  /** Ends a run. */
  end(taskId: string, reason = "answered"): void {
    const statuses: Record<string, string> = { interrupted: "aborted", error: "error", approval: "waiting" };
    const task = this.tasks.get(taskId);
    if (task !== undefined) task.status = statuses[reason] ?? "idle";
    this.broadcast({ type: "conversationOver", data: { taskId, reason } });
  }

  broadcast(frame: Frame): void {
    for (const client of this.#clients) client.send(JSON.stringify(frame));
  }

  async start(): Promise<void> {
    const http = createServer(createAgentPage(this.#options.page));
    const sockets = new WebSocketServer({ server: http });
    sockets.on("connection", (socket) => this.#accept(socket));
    await new Promise<void>((resolve) => {
      http.listen(this.#port, "127.0.0.1", resolve);
    });
    this.#port = (http.address() as AddressInfo).port; // Safe: it listens on a port
    this.#http = http;
  }

  async stop(): Promise<void> {
    const http = this.#http;
    this.#http = undefined;
    if (http === undefined) return;
    for (const client of this.#clients) client.terminate();
    http.closeAllConnections();
    await new Promise((resolve) => {
      http.close(resolve);
    });
  }

  #accept(socket: WebSocket): void {
    const { token } = this.#options;
    if (token === undefined) this.#greet(socket);
    socket.on("message", (content) => {
      const frame = JSON.parse((content as Buffer).toString("utf8")) as Frame; // Safe: the client sends frames
      this.received.push(frame);
      if (frame.type === "authenticate") {
        if (frame.data["token"] === token) this.#greet(socket);
        else socket.close(4401, "The token is not valid.");
      } else this.#handle(socket, frame);
    });
    socket.on("close", () => this.#clients.delete(socket));
  }

  #greet(socket: WebSocket): void {
    this.#clients.add(socket);
    const send = (frame: Frame) => socket.send(JSON.stringify(frame));
    send({ type: "connected", data: { message: "Connected", ...this.user } });
    send({ type: "sessionHistories", data: { sessionHistories: this.#summaries().slice(0, 100) } });
  }

  #handle(socket: WebSocket, frame: Frame): void {
    const { type, data } = frame;
    const taskId = String(data["taskId"]);
    const send = (one: Frame) => socket.send(JSON.stringify(one));
    const ack = (more: object = {}) =>
      send({ type: "ack", data: { taskId, targetMessage: frame, status: "acked", ...more } });
    const task = this.tasks.get(taskId);
    if (type === "listTasks") return send({ type: "taskList", data: this.#page(data) });
    if (type === "userSendMessage") return this.#receive(frame, taskId);
    if (task === undefined) {
      send({ type: "ack", data: { taskId, targetMessage: frame, status: "failed" } });
      return send({ type: "error", data: { taskId, message: `Task "${taskId}" does not exist.` } });
    }
    ack();
    if (type === "loadTask") send({ type: "taskHistory", data: { ...task } });
    if (type === "renameTask") {
      task.title = String(data["title"]);
      this.broadcast({ type: "taskRenamed", data: { taskId, title: task.title } });
    }
    if (type === "deleteTask") {
      this.tasks.delete(taskId);
      this.broadcast({ type: "taskRemoved", data: { taskId, reason: "deleted" } });
    }
    if (type === "interrupt") {
      this.emit(taskId, "interrupt");
      this.end(taskId, "interrupted");
    }
  }

  #receive(frame: Frame, taskId: string): void {
    const text = String(frame.data["message"]);
    const task = this.tasks.get(taskId) ?? this.add({ taskId, title: text.slice(0, 60) });
    task.status = "streaming";
    const updateTime = ++this.#time;
    this.#store(taskId, { type: "userSendMessage", data: { ...frame.data, updateTime } });
    const targetMessage = withoutContent(frame);
    this.broadcast({ type: "ack", data: { taskId, targetMessage, status: "acked", updateTime } });
    this.broadcast({ type: "sessionHistories", data: { sessionHistories: this.#summaries().slice(0, 100) } });
    this.#options.respond?.(this, taskId, text);
  }

  #store(taskId: string, frame: Frame): void {
    const task = this.tasks.get(taskId);
    if (task === undefined) return;
    const key = ({ type, data }: Frame) => `${type}:${String(data["updateTime"])}`;
    const index = task.messages.findIndex((one) => key(one) === key(frame));
    if (index === -1) task.messages.push(frame);
    else task.messages[index] = frame;
  }

  #summaries() {
    return [...this.tasks.values()]
      .filter(({ parentTaskId }) => parentTaskId === undefined)
      .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
      .map(({ taskId, title, updatedAt }) => ({ taskId, title, updatedAt }));
  }

  #page(data: Frame["data"]) {
    const search = typeof data["search"] === "string" ? data["search"] : "";
    const words = search.toLowerCase().split(/\s+/);
    const all = this.#summaries().filter(({ title }) =>
      words.every((word) => title.toLowerCase().includes(word)),
    );
    const start = Number(data["cursor"] ?? 0);
    const end = start + Number(data["limit"] ?? 50);
    return {
      tasks: all.slice(start, end),
      ...(all.length > end && { nextCursor: String(end) }),
      ...(data["cursor"] !== undefined && { cursor: data["cursor"] }),
      ...(data["search"] !== undefined && { search }),
    };
  }
}

/** Returns a message without the content of its files, as the agent server repeats it. */
function withoutContent(frame: Frame): Frame {
  const files: unknown = frame.data["files"];
  if (!Array.isArray(files)) return frame;
  const blank = files.map((file: object) => ({ ...file, data: "" }));
  return { ...frame, data: { ...frame.data, files: blank } };
}
