/**
 * @fileoverview Handles messages from clients: checks the user's access, changes or runs tasks, and acknowledges the
 * messages.
 * @module agent/conversation/conversations
 */
import { randomUUID } from "node:crypto";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { safeReport } from "@tenon/internal/security/safe-text";
import type { ServerMessage, UserMessage } from "../messages/built-in-messages.js";
import { toFrame } from "../messages/frames.js";
import { StorageError } from "../storage/storage-error.js";
import { AgentCore, type AgentCoreParts } from "./agent-core.js";
import { skipOpenCalls } from "./calls/perform-call.js";
import type { Client } from "./context/watchers.js";
import {
  type ApprovalDecision,
  cancelApprovals,
  decideApproval,
  userOfRun,
} from "./tasks/decide-approval.js";
import { isManageMessage, type ListMessage, listTasks, manageTask, toListed } from "./tasks/manage-tasks.js";
import { notFound, RejectedError } from "./tasks/rejected-error.js";
import type { Task } from "./tasks/task.js";
import { type UserInput, withoutFiles } from "./user-input.js";

/** Dependencies for `Conversations`. */
export type ConversationsParts = Omit<AgentCoreParts, "onRemoved">;

/** Conversations between the clients of a server and its model. */
export class Conversations {
  /** Parts that runs in this process use too. */
  readonly core: AgentCore;

  constructor(parts: ConversationsParts) {
    this.core = new AgentCore({
      ...parts,
      onRemoved: (taskId, how) => this.#tellRemoved(taskId, how === "archive" ? "archived" : "deleted"),
    });
  }

  /** Adds a connected client and sends it the list of tasks. */
  async open(client: Client): Promise<void> {
    this.core.watchers.add(client);
    const { user } = client;
    const known = { userId: user?.id, canWrite: user && user.canWrite !== false };
    const data = { message: "Connected", updateTime: this.core.now(), ...known };
    send(client, { type: "connected", data });
    await this.#sendHistories(client);
  }

  /** Removes a disconnected client. Tasks that no other client watches stop after the grace period. */
  close(client: Client): void {
    this.core.watchers.remove(client);
  }

  /**
   * Handles a validated message from a client. Resolves when the message is acknowledged. The run continues in the
   * background.
   */
  async handle(message: UserMessage, client: Client): Promise<void> {
    const updateTime = this.core.now();
    // The socket handles `authenticate` before a message gets here.
    if (message.type === "authenticate") return;
    if (message.type === "listTasks") return this.#list(message, client);
    const taskId = message.data.taskId || randomUUID();
    const toAck = (status: "acked" | "failed", time = updateTime): ServerMessage => ({
      type: "ack",
      data: { taskId, targetMessage: withoutFiles(message), status, updateTime: time },
    });
    const ack: Ack = (time) => toAck("acked", time);
    try {
      await this.core.locks.run([taskId], () => this.#answer(message, { taskId, client, ack }));
    } catch (error) {
      send(client, toAck("failed"));
      send(client, { type: "error", data: { message: this.#describe(error, taskId), taskId, updateTime } });
    }
  }

  /** Describes a failure to the client, and logs it unless it is a rejected request. */
  #describe(error: unknown, taskId?: string): string {
    const where = taskId === undefined ? "" : ` task ${taskId}:`;
    if (!(error instanceof RejectedError)) this.core.logger.error(`agent:${where} ${safeReport(error)}`);
    const isMeant = error instanceof RejectedError || error instanceof StorageError;
    return isMeant ? error.message : "Could not handle the message because of an internal error.";
  }

  async #answer(message: TaskMessage, addressed: Addressed): Promise<void> {
    const { taskId, client, ack } = addressed;
    if (message.type === "loadTask") return this.#load(addressed);
    const task = await this.core.findToWrite(taskId, client.user);
    if (message.type === "userSendMessage") return this.#take(task, message.data, addressed);
    if (task === undefined) throw notFound(taskId);
    if (isManageMessage(message)) {
      if (!(await manageTask(message, this.core))) throw notFound(taskId);
      send(client, ack());
      return this.#sendHistories(client);
    }
    if (message.type === "interrupt") return this.#interrupt(task, () => send(client, ack()));
    if (message.type === "answerApproval") return this.#decide(task, message.data, addressed);
    const user = userOfRun(task.transcript, client.user);
    await this.core.runner.begin({ task, user }, async () => {
      await this.core.prepare(task, { taskId, input: undefined, user });
      this.#watch(task, client);
      task.transcript.send(ack());
      void this.core.startRun(task, { user });
    });
  }

  async #load({ taskId, client, ack }: Addressed): Promise<void> {
    const access = await this.core.accessTo(taskId, client.user);
    const task = access && (await this.core.tasks.find(taskId));
    if (access === undefined || task === undefined) throw notFound(taskId);
    send(client, ack());
    this.#watch(task, client);
    const canWrite = client.user && access === "write";
    client.sendBytes(task.transcript.encodeHistory({ contextWindow: this.core.contextWindow, canWrite }));
  }

  async #take(known: Task | undefined, input: UserInput, { taskId, client, ack }: Addressed): Promise<void> {
    const { user } = client;
    // The client did not receive the acknowledgment and sent the message again.
    const earlier =
      input.messageId === undefined ? undefined : known?.transcript.findMessage(input.messageId);
    if (known !== undefined && earlier !== undefined) {
      this.#watch(known, client);
      return send(client, ack(Number(earlier.data["updateTime"])));
    }
    await this.core.runner.begin({ task: known, user }, async () => {
      const task = await this.core.prepare(known, { taskId, input, user });
      this.#watch(task, client);
      task.transcript.send(ack(task.transcript.lastTime));
      if (known === undefined) await this.#sendHistories(client);
      void this.core.startRun(task, { user });
    });
  }

  async #decide(task: Task, decision: ApprovalDecision, { client, ack }: Addressed): Promise<void> {
    const { transcript } = task;
    const decider = client.user;
    if (!task.isRunning && transcript.status !== "waiting")
      throw new RejectedError("The call no longer waits for approval.");
    const isLast = transcript.facts.openApprovals.every(
      ({ approvalId }) => approvalId === decision.approvalId,
    );
    // A task that is running notices the decision itself.
    if (!isLast || task.isRunning) {
      await decideApproval(decision, transcript, decider);
      return send(client, ack());
    }
    const user = userOfRun(transcript, decider, decision.approvalId);
    await this.core.runner.begin({ task, user }, async () => {
      await decideApproval(decision, transcript, decider);
      this.#watch(task, client);
      send(client, ack());
      void this.core.startRun(task, { user });
    });
  }

  /** Interrupts a run, or cancels the approvals that a task waits for. */
  async #interrupt(task: Task, acknowledge: () => void): Promise<void> {
    const { transcript } = task;
    if (task.isRunning) {
      acknowledge();
      return task.interrupt();
    }
    if (transcript.status !== "waiting")
      throw new RejectedError("The task is not running, so it cannot be interrupted.");
    await cancelApprovals(transcript);
    await skipOpenCalls(transcript);
    acknowledge();
    const data = { taskId: transcript.taskId, updateTime: transcript.nextTime() };
    await transcript.keepAndSend({ type: "interrupt", data }, { status: "aborted" });
  }

  #watch(task: Task, client: Client): void {
    if (this.core.watchers.watch(task.transcript.taskId, client)) task.reattach();
  }

  #tellRemoved(taskId: string, reason: "archived" | "deleted"): void {
    const { watchers } = this.core;
    watchers.send(taskId, { type: "taskRemoved", data: { taskId, reason } });
    watchers.forget(taskId);
  }

  async #list({ data }: ListMessage, client: Client): Promise<void> {
    const { store, now } = this.core;
    const { user } = client;
    const request = { ...data, requestedBy: user?.id, isVisible: this.core.visibilityFor(user) };
    const list = await listTasks(store, request).catch((error: unknown): ServerMessage => {
      return { type: "error", data: { message: this.#describe(error), updateTime: now() } };
    });
    send(client, list);
  }

  async #sendHistories(client: Client): Promise<void> {
    const { store, logger } = this.core;
    const isVisible = this.core.visibilityFor(client.user);
    const tasks = await store.list(MAX_LISTED, isVisible).catch((error: unknown) => {
      logger.error(`agent: could not list the tasks: ${safeReport(error)}`);
      return [];
    });
    send(client, { type: "sessionHistories", data: { sessionHistories: tasks.map(toListed) } });
  }
}

const MAX_LISTED = 100;

type TaskMessage = Exclude<UserMessage, ListMessage | { readonly type: "authenticate" }>;

/** Task and client of a message, and the function that creates its acknowledgment. */
interface Addressed {
  readonly taskId: string;
  readonly client: Client;
  readonly ack: Ack;
}

/** Creates the acknowledgment for a message. `updateTime` identifies the message. */
type Ack = (updateTime?: number) => ServerMessage;

function send(client: Client, message: ServerMessage): void {
  client.sendBytes(encodeUtf8(toFrame(message)));
}
