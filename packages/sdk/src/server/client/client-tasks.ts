/**
 * @fileoverview `server.experimental.tasks`: requests that the client runs as tasks, and the tasks of the client.
 * @module sdk/server/client/client-tasks
 */
import type { ClientCapabilities } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import { read } from "@tenon/internal/security/safe-text";
import { isInstance } from "@tenon/internal/thrown";
import type { AnswerSchema, AskOptions, OutgoingRequest } from "../../types.js";
import { describeUnsupported } from "../capabilities.js";
import { RequestError } from "../requests/errors.js";
import { isTerminal, type Task, toTask } from "../task-types.js";
import { TaskWaits } from "../tasks/task-queues.js";
import { describeSamplingMessages, toElicitResult, toSamplingResult } from "./answers.js";

/** Server functions for requests to the client. */
interface Asking {
  request<Answer>(
    request: OutgoingRequest,
    schema: AnswerSchema<Answer>,
    options?: AskOptions,
  ): Promise<Answer>;
  getClientCapabilities(): ClientCapabilities | undefined;
  readonly tasks: { readonly pollMs: number };
}

/** Message of a stream. A stream ends with a result or an error. */
export type StreamMessage<Result> =
  | { readonly type: "taskCreated" | "taskStatus"; readonly task: Task }
  | { readonly type: "result"; readonly result: Result }
  | { readonly type: "error"; readonly error: Error };

type Stream<Result> = AsyncGenerator<StreamMessage<Result>, void, void>;

/** The experimental functions of a server for tasks of its client. */
export class ClientTasks {
  readonly #server: Asking;
  readonly #waits = new TaskWaits();

  /** @internal created by the server */
  constructor(server: Asking) {
    this.#server = server;
  }

  /** Sends a request and yields its progress. With `options.task`, the client runs it as a task. Never rejects. */
  async *requestStream<Result>(
    request: OutgoingRequest,
    resultSchema: AnswerSchema<Result>,
    options: AskOptions = {},
  ): Stream<Result> {
    try {
      if (options.task === undefined) {
        yield { type: "result", result: await this.#server.request(request, resultSchema, options) };
      } else yield* this.#followTask(request, resultSchema, options);
    } catch (error) {
      yield { type: "error", error: toRequestError(error) };
    }
  }

  /** Requests a completion and yields its progress. @throws if the client or the messages do not allow the request */
  createMessageStream(params: object, options: AskOptions = {}): Stream<unknown> {
    const request = { method: "sampling/createMessage", params: { ...params } };
    this.#assertSupported(request);
    const problem = describeSamplingMessages(read(params, "messages"));
    if (problem !== undefined) throw new Error(problem);
    return this.requestStream(request, SAMPLING, options);
  }

  /** Requests input from the user and yields its progress. @throws if the client does not support the mode */
  elicitInputStream(params: object, options: AskOptions = {}): Stream<unknown> {
    const request = {
      method: "elicitation/create",
      params: { ...params, mode: read(params, "mode") ?? "form" },
    };
    this.#assertSupported(request);
    return this.requestStream(request, ELICITATION, options);
  }

  /** Requests the state of one of the client's tasks. */
  async getTask(taskId: string, options: AskOptions = {}): Promise<Task> {
    return this.#server.request({ method: "tasks/get", params: { taskId } }, TASK, options);
  }

  /** Requests the result of one of the client's tasks. Waits until the task is over. */
  async getTaskResult<Result>(
    taskId: string,
    resultSchema: AnswerSchema<Result>,
    options: AskOptions = {},
  ): Promise<Result> {
    return this.#server.request({ method: "tasks/result", params: { taskId } }, resultSchema, options);
  }

  /** Lists the client's tasks. */
  async listTasks(cursor?: string, options: AskOptions = {}): Promise<unknown> {
    const params = cursor ? { cursor } : undefined;
    return this.#server.request({ method: "tasks/list", params }, ANY, options);
  }

  /** Cancels one of the client's tasks. */
  async cancelTask(taskId: string, options: AskOptions = {}): Promise<Task> {
    return this.#server.request({ method: "tasks/cancel", params: { taskId } }, TASK, options);
  }

  #assertSupported(request: OutgoingRequest): void {
    const problem = describeUnsupported(request, this.#server.getClientCapabilities());
    if (problem !== undefined) throw new Error(problem);
  }

  async *#followTask<Result>(
    request: OutgoingRequest,
    resultSchema: AnswerSchema<Result>,
    options: AskOptions,
  ): Stream<Result> {
    const created = await this.#server.request(request, CREATED, options);
    yield { type: "taskCreated", task: created };
    const { taskId } = created;
    const { task: _, ...rest } = options;
    for (;;) {
      const task = await this.getTask(taskId, rest);
      yield { type: "taskStatus", task };
      if (task.status === "failed") throw new RequestError(-32603, `Task ${taskId} failed`);
      if (task.status === "cancelled") throw new RequestError(-32603, `Task ${taskId} was cancelled`);
      // A client that needs input sends its requests while the server waits for the result.
      if (isTerminal(task.status) || task.status === "input_required") {
        yield { type: "result", result: await this.getTaskResult(taskId, resultSchema, rest) };
        return;
      }
      await this.#waits.wait(taskId, task.pollInterval ?? this.#server.tasks.pollMs, options.signal);
    }
  }
}

/** Results that are returned unchanged. */
const ANY: AnswerSchema<unknown> = { parse: (answer) => answer };

const ELICITATION: AnswerSchema<unknown> = { parse: toElicitResult };
const SAMPLING: AnswerSchema<unknown> = { parse: toSamplingResult };

const TASK: AnswerSchema<Task> = { parse: (answer) => parseTask(answer) };

const CREATED: AnswerSchema<Task> = {
  parse: (answer) => parseTask(isJsonObject(answer) ? answer["task"] : undefined),
};

function parseTask(value: unknown): Task {
  const task = toTask(value);
  if (task === undefined)
    throw new RequestError(-32603, "The client's response does not contain a valid task");
  return task;
}

/** Keeps errors with a JSON-RPC code. Other errors become internal errors, as in the official SDK. */
function toRequestError(error: unknown): Error {
  if (isInstance(error, Error) && typeof read(error, "code") === "number") return error;
  return new RequestError(-32603, String(error));
}
