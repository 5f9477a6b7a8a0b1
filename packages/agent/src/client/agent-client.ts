/**
 * @fileoverview Client of an agent server: keeps the state, sends requests, and reconnects.
 * @module agent/client/agent-client
 */
import { checkFrame, isServerMessage, type ReceivedMessage } from "./state/check-frame.js";
import { ServerConnection } from "./server-connection.js";
import { AgentClientError } from "./errors.js";
import { createTaskId } from "./ids.js";
import { mayExist, withOpenTask, withSending, withUndelivered } from "./state/local-changes.js";
import {
  type AgentClientOptions,
  type ClientSettings,
  findWebSocket,
  resolveClientOptions,
} from "./options.js";
import { INITIAL_STATE, lacksFiles, reduce, withoutOpenTask } from "./state/reduce.js";
import { Reloads } from "./reloads.js";
import { type RequestMessage, Requests } from "./requests.js";
import { withFields } from "./state/share.js";
import type { ClientSocketClass } from "./socket-types.js";
import type {
  AgentClient,
  AgentConnection,
  AgentState,
  Approval,
  ApprovalDecision,
  ListOptions,
  SendOptions,
  SentMessage,
  TaskPage,
  TaskState,
} from "./types.js";

/**
 * Creates a client of an agent server. Call `connect` to connect it.
 *
 * @throws if an option is invalid
 *
 * @example
 * const client = createAgentClient({ url: "wss://agent.example", token: getToken });
 * client.subscribe((state) => render(state));
 * await client.connect();
 * const { taskId } = await client.send("Hello!");
 */
export function createAgentClient<Messages extends object = {}>(
  options: AgentClientOptions,
): AgentClient<Messages> {
  return new SocketAgentClient(options);
}

type Handler = (data: unknown) => void;

/** Client over a WebSocket. Its methods are bound, so that they can be passed around. */
class SocketAgentClient {
  readonly #options: AgentClientOptions;
  readonly #settings: ClientSettings;
  readonly #requests: Requests;
  readonly #reloads: Reloads;
  readonly #listeners = new Set<(state: AgentState) => void>();
  readonly #handlers = new Map<string, Set<Handler>>();
  /** Tasks with messages that are being sent again. They are loaded afterwards. */
  readonly #toReload = new Set<string>();
  #state = INITIAL_STATE;
  #connection: ServerConnection | undefined;
  #connected: Deferred | undefined;
  /** Reason why the last connection ended. */
  #ending = new AgentClientError("closed", "The client is not connected. Call `connect` first.");

  constructor(options: AgentClientOptions) {
    this.#options = options;
    this.#settings = resolveClientOptions(options);
    this.#requests = new Requests({
      send: (frame) => this.#connection?.send(frame) ?? false,
      onSilence: () => this.#connection?.drop(),
      timeout: this.#settings.requestTimeout,
    });
    this.#reloads = new Reloads({
      openTasks: () => [...this.#state.open.keys()],
      isConnected: () => this.#connection?.isOpen === true,
      load: (taskId) => this.#reload(taskId),
    });
  }

  get state(): AgentState {
    return this.#state;
  }

  subscribe = (listener: (state: AgentState) => void): (() => void) => {
    // A function of its own, so that a listener that subscribes twice is called twice.
    const call = (state: AgentState) => listener(state);
    this.#listeners.add(call);
    return () => void this.#listeners.delete(call);
  };

  on = (type: string, handler: (data: never) => void): (() => void) => {
    const call: Handler = (data) => handler(data as never); // Safe: the data of this type was checked
    const handlers = this.#handlers.get(type) ?? new Set();
    this.#handlers.set(type, handlers.add(call));
    return () => {
      handlers.delete(call);
      if (handlers.size === 0 && this.#handlers.get(type) === handlers) this.#handlers.delete(type);
    };
  };

  connect = (): Promise<void> => {
    if (this.#connected !== undefined) return this.#connected.promise;
    const connected = new Deferred();
    try {
      this.#connection = this.#createConnection(findWebSocket(this.#options.WebSocket));
    } catch (error) {
      connected.reject(error);
      return connected.promise;
    }
    this.#connected = connected;
    this.#connection.start();
    return connected.promise;
  };

  close = (): void => {
    if (this.#connection === undefined) return;
    this.#connection.stop();
    this.#end("closed", new AgentClientError("closed", "The client was closed."));
  };

  send = async (text: string, options: SendOptions = {}): Promise<SentMessage> => {
    const { taskId = createTaskId(), messageId = createTaskId(), files } = options;
    const outgoing = { message: text, taskId, messageId, ...(files && { files: [...files] }) };
    this.#assertStarted();
    const isKnown = options.taskId === undefined || this.#state.open.has(taskId);
    this.#set(withSending(this.#withOpen(taskId, !isKnown), outgoing));
    const message: RequestMessage = { type: "userSendMessage", data: outgoing };
    try {
      const { data } = await this.#requests.add(message, { canRepeat: true, isPatient: true });
      return { taskId, updateTime: "updateTime" in data ? data.updateTime : undefined };
    } catch (error) {
      this.#set(withUndelivered(this.#state, taskId, messageId));
      throw error;
    } finally {
      // The client may have missed messages: those before this one, or those while it was disconnected.
      if (this.#toReload.delete(taskId) || !isKnown) this.#reloads.add([taskId]);
    }
  };

  open = async (taskId: string): Promise<TaskState> => {
    this.#assertStarted();
    this.#set(this.#withOpen(taskId, true));
    await this.#load(taskId);
    const task = this.#state.open.get(taskId);
    if (task === undefined) throw new AgentClientError("rejected", `Task "${taskId}" does not exist.`);
    return task;
  };

  interrupt = (taskId: string): Promise<void> => this.#request({ type: "interrupt", data: { taskId } });

  resume = (taskId: string): Promise<void> => this.#request({ type: "resume", data: { taskId } });

  rename = (taskId: string, title: string): Promise<void> =>
    this.#request({ type: "renameTask", data: { taskId, title } });

  delete = (taskId: string): Promise<void> => this.#request({ type: "deleteTask", data: { taskId } });

  decide = (
    approval: Pick<Approval, "taskId" | "approvalId" | "subtaskId">,
    decision: ApprovalDecision,
    reason?: string,
  ): Promise<void> => {
    const { approvalId, taskId, subtaskId = taskId } = approval;
    const data = { taskId: subtaskId, approvalId, decision, reason };
    return this.#request({ type: "answerApproval", data });
  };

  list = async (options: ListOptions = {}): Promise<TaskPage> => {
    this.#assertStarted();
    const message: RequestMessage = { type: "listTasks", data: { ...options } };
    const { data } = await this.#requests.add(message, { canRepeat: true });
    return "tasks" in data ? { tasks: data.tasks, nextCursor: data.nextCursor } : { tasks: [] };
  };

  post = (type: string, data: unknown): boolean =>
    this.#connection?.send(JSON.stringify({ type, data })) ?? false;

  #withOpen(taskId: string, isLoading: boolean): AgentState {
    return withOpenTask(this.#state, { taskId, isLoading }, this.#settings.maxOpenTasks);
  }

  async #request(message: RequestMessage): Promise<void> {
    this.#assertStarted();
    await this.#requests.add(message, { canRepeat: false });
  }

  /** Loads a task. A task that cannot be loaded is closed. */
  async #load(taskId: string): Promise<void> {
    try {
      await this.#requests.add({ type: "loadTask", data: { taskId } }, { canRepeat: true });
    } catch (error) {
      if (error instanceof AgentClientError && error.code === "rejected")
        this.#set(withoutOpenTask(this.#state, taskId));
      throw error;
    }
  }

  /** Loads an open task again, unless the server cannot know it. */
  async #reload(taskId: string): Promise<void> {
    const task = this.#state.open.get(taskId);
    if (task === undefined || !mayExist(task) || this.#requests.has("loadTask", taskId)) return;
    await this.#load(taskId).catch((error) => this.#report(error));
  }

  /** Requests a response, unless the server owes one. If nothing arrives in time, the connection is dropped. */
  #probe(): void {
    if (this.#requests.isWaiting) return;
    const options = { canRepeat: false, isInternal: true, timeout: PROBE_TIMEOUT_MS };
    this.#requests.add(PROBE, options).catch(() => undefined);
  }

  #assertStarted(): void {
    if (this.#connection === undefined) throw new AgentClientError(this.#ending.code, this.#ending.message);
  }

  #createConnection(WebSocket: ClientSocketClass): ServerConnection {
    return new ServerConnection(
      { ...this.#settings, WebSocket },
      {
        onContent: (content) => this.#receive(content),
        onLost: (isTooLarge) => this.#requests.lose(isTooLarge),
        onState: (connection, error) => {
          if (error === undefined) this.#set(withFields(this.#state, { connection }));
          else this.#end(connection, error);
        },
        onDoubt: () => this.#probe(),
        onError: (error) => this.#report(error),
      },
    );
  }

  #receive(content: unknown): void {
    const check = checkFrame(content);
    if (!check.ok) return this.#report(new Error(`The server sent an invalid frame: ${check.reason}.`));
    const { message } = check;
    if (isServerMessage(message)) {
      const use = this.#requests.receive(message);
      if (use === "none") return;
      if (use === "state") this.#set(reduce(this.#state, message));
      if (message.type === "connected") this.#accept();
      if (message.type === "ack" && lacksFiles(this.#state, message.data))
        this.#reloads.add([message.data.taskId]);
    }
    this.#emit(message);
  }

  /** Continues after the server has accepted the client: sends waiting messages, and loads the open tasks again. */
  #accept(): void {
    if (this.#connection === undefined || this.#connection.isOpen) return;
    this.#connection.accept();
    this.#set(withFields(this.#state, { connection: "open" }));
    const toLoad: string[] = [];
    for (const taskId of this.#state.open.keys()) {
      if (this.#requests.has("userSendMessage", taskId)) this.#toReload.add(taskId);
      else if (!this.#requests.has("loadTask", taskId)) toLoad.push(taskId);
    }
    this.#reloads.clear();
    this.#reloads.add(toLoad);
    this.#requests.flush();
    this.#connected?.resolve();
  }

  #end(connection: AgentConnection, error: AgentClientError): void {
    this.#connection = undefined;
    this.#ending = error;
    this.#toReload.clear();
    this.#reloads.clear();
    this.#set(withFields(this.#state, { connection }));
    this.#requests.rejectAll(error);
    this.#connected?.reject(error);
    this.#connected = undefined;
  }

  #set(state: AgentState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) this.#guard(() => listener(state));
  }

  #emit({ type, data }: ReceivedMessage): void {
    for (const handler of this.#handlers.get(type) ?? []) this.#guard(() => handler(data));
  }

  /** Calls a function of the application, whose exceptions must not break the client. */
  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    try {
      this.#options.onError?.(error);
    } catch {
      // Nothing can be done: the error cannot be reported.
    }
  }
}

/** Cheap request. Its search has no words, so that its response differs from that of every list. */
const PROBE: RequestMessage = { type: "listTasks", data: { limit: 1, search: " " } };

/** Time within which the server must respond to a cheap request. */
const PROBE_TIMEOUT_MS = 8_000;

/** Promise with the functions that settle it. */
class Deferred {
  resolve: () => void = () => undefined;
  reject: (error: unknown) => void = () => undefined;
  readonly promise = new Promise<void>((resolve, reject) => Object.assign(this, { resolve, reject }));

  constructor() {
    // The state shows the failure too, so a caller may ignore the promise.
    this.promise.catch(() => undefined);
  }
}
