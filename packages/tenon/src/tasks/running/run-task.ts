/**
 * @fileoverview Runs a task's handler once: starts a run in the record, calls the tool as its request would, and stores
 * the outcome.
 * @module tasks/running/run-task
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import { isInstance } from "@tenon/internal/thrown";
import { Call } from "../../core/call/call.js";
import type { Incoming } from "../../core/call/incoming.js";
import { failRun } from "../../core/call/operation.js";
import type { Questions } from "../../core/call/questions.js";
import type { ExtensionHost } from "../../core/definitions/attached-extension.js";
import type { ToolEntry } from "../../core/definitions/tool.js";
import { TOOL } from "../../core/methods/call-tool.js";
import type { Closing } from "../../core/wire/closing.js";
import { Connection } from "../../core/wire/connection.js";
import { type McpResponse, resultResponse } from "../../core/wire/response.js";
import type { RpcError } from "../../protocol/index.js";
import { type TaskEngine, TaskEngineError } from "../engine/task-engine.js";
import type { TaskSettings } from "../options.js";
import { isFinal, type TaskRecord } from "../state/record.js";
import {
  askQuestions,
  beginRun,
  cancel,
  complete,
  expiryOf,
  fail,
  internalError,
  isCurrent,
  recordProgress,
  type TaskProgress,
} from "../state/transitions.js";
import type { LiveContexts } from "./live-contexts.js";
import { TaskRun } from "./task-run.js";
import type { TaskChange, TaskStore } from "./task-store.js";

/** The parts of a server's tasks that a run needs. */
export interface RunHost {
  readonly host: ExtensionHost;
  readonly engine: TaskEngine;
  readonly settings: TaskSettings;
  readonly store: TaskStore;
  readonly contexts: LiveContexts;
  report(name: string, error: unknown): void;
}

/**
 * Runs a task until it finishes or has questions to the client. Never rejects. Does nothing if the task has finished or
 * waits for answers.
 *
 * @param closing closes when the handlers must stop because the server closes
 */
export async function runTask(tasks: RunHost, taskId: string, closing: Closing): Promise<void> {
  let tool = "tasks";
  try {
    let run: number | undefined;
    const record = await tasks.store.changeWithRetries(taskId, (current, now) => {
      const next = beginRun(current, now);
      run = next?.isRunning === true ? next.run : undefined;
      return next;
    });
    if (record === undefined || run === undefined || !isCurrent(record, run)) {
      if (record !== undefined && isFinal(record)) tasks.contexts.drop(taskId);
      return;
    }
    ({ tool } = record);
    await runHandler(tasks, record, closing);
  } catch (error) {
    tasks.report(tool, error);
  }
}

async function runHandler(tasks: RunHost, record: TaskRecord, closing: Closing): Promise<void> {
  const { host, engine, settings, store } = tasks;
  const { ports } = host.services;
  const { taskId } = record;
  const run = new TaskRun(record, store, { ...settings, ports });
  const check = () => void store.read(taskId).then((current) => run.check(current), ignore);
  const unwatch = await engine.watch(taskId, check);
  const stopTimer = startExpiryTimer(ports, record, check);
  const forget = closing.onClose(() => run.stop(CLOSING));
  if (closing.isClosed) run.stop(CLOSING);
  // The task may have been cancelled before it was watched.
  check();
  try {
    const outcome = await callTool(tasks, record, run).catch((error: unknown): RunOutcome => {
      // For example, the application could not create the context.
      tasks.report(record.tool, error);
      return { kind: "error", error: internalError("Internal error") };
    });
    await settle(tasks, run, { outcome, progress: await run.finish() });
  } finally {
    forget();
    stopTimer();
    unwatch();
  }
}

const CLOSING = /* @__PURE__ */ new DOMException("The server is closing.", "AbortError");

function ignore(): void {
  // The next write of the run fails for the same reason and reports it.
}

/** Maximum delay of a timer. A longer one would fire at once. */
const MAX_DELAY = 2 ** 31 - 1;

function startExpiryTimer(ports: Ports, record: TaskRecord, check: () => void): () => void {
  const delay = expiryOf(record) - ports.now();
  return delay > MAX_DELAY ? () => undefined : ports.startTimer(check, Math.max(delay, 1), true);
}

/** Outcome of a run. */
type RunOutcome =
  | {
      readonly kind: "asked";
      readonly inputRequests: JsonObject;
      readonly rejected: ReadonlyMap<string, string>;
    }
  | { readonly kind: "result"; readonly text: string }
  | { readonly kind: "error"; readonly error: RpcError }
  /** The handler threw after it was told to stop. */
  | { readonly kind: "stopped" };

/** End of a run, and progress that has not been stored yet. */
interface RunEnd {
  readonly outcome: RunOutcome;
  readonly progress: TaskProgress | undefined;
}

/** Stores the outcome of a run, unless the task has ended or runs elsewhere. */
async function settle(
  tasks: RunHost,
  { taskId, run }: TaskRun,
  { outcome, progress }: RunEnd,
): Promise<void> {
  const apply = (change: TaskChange) =>
    tasks.store.changeWithRetries(taskId, (record, now) =>
      isCurrent(record, run) ? change(record, now) : undefined,
    );
  let record: TaskRecord | undefined;
  try {
    record = await apply((latest, now) => {
      const current = progress === undefined ? latest : recordProgress(latest, now, progress);
      switch (outcome.kind) {
        case "asked":
          return askQuestions(current, now, outcome);
        case "result":
          return complete(current, now, outcome.text);
        case "error":
          return fail(current, now, outcome.error);
        case "stopped":
          // If the server is closing, the record stays as it is, and the next worker finds a run that did not end.
          return current.isCancelRequested ? cancel(current, now) : undefined;
      }
    });
  } catch (error) {
    if (!isInstance(error, TaskEngineError) || error.code !== "full") throw error;
    tasks.report(taskId, error);
    const message = "The server does not have enough memory to store the outcome of the task.";
    record = await apply((current, now) => fail(current, now, internalError(message)));
  }
  if (record === undefined || isFinal(record)) tasks.contexts.drop(taskId);
}

/** Calls the tool as its request would. */
async function callTool(tasks: RunHost, record: TaskRecord, run: TaskRun): Promise<RunOutcome> {
  const { host, settings } = tasks;
  const entry = host.findTool(record.tool);
  if (entry === undefined) {
    const message = `The tool "${record.tool}" no longer exists.`;
    return { kind: "error", error: internalError(message) };
  }
  const context = await contextOf(tasks, record);
  if (context === undefined) {
    const error = new Error(
      `Task ${record.taskId} of tool "${record.tool}" needs the context of its request, which ended with its ` +
        "process. Pass `context` to `tasks()`, so that it can be created again.",
    );
    tasks.report(record.tool, error);
    return { kind: "error", error: internalError("The task could not be continued after a restart.") };
  }
  const incoming = toIncoming(host, record, { run, context: context.context });
  const { answers, prepared } = record.journal;
  const call = new Call(incoming, { answers, once: prepared });
  run.onStop((reason) => call.abort(reason));
  const response = await respond(entry, call, run);
  if (response === "asked") return asked(call.questions);
  if (response === "stopped") return { kind: "stopped" };
  const text = String(response.parts().payload);
  if (response.kind === "error") return { kind: "error", error: JSON.parse(text) as RpcError }; // Safe: the core wrote it
  if (text.length <= settings.maxResultBytes) return { kind: "result", text };
  const size = `${text.length} bytes (limit: ${settings.maxResultBytes})`;
  tasks.report(
    record.tool,
    new Error(`The result of a task is too large: ${size}. Raise \`maxResultBytes\`.`),
  );
  return { kind: "error", error: internalError(`The result is too large: ${size}.`) };
}

/** Runs the handler. Returns the response that the call would have had, unless the handler has questions. */
async function respond(
  entry: ToolEntry,
  call: Call,
  run: TaskRun,
): Promise<McpResponse | "asked" | "stopped"> {
  const { incoming } = call;
  const args = incoming.params?.["arguments"];
  try {
    const result = await TOOL.run(entry, args, call);
    if (call.questions?.open === true) return "asked";
    return resultResponse(incoming.id, TOOL.encode(entry, result, incoming));
  } catch (error) {
    if (run.isStopped) return "stopped";
    if (call.questions?.open === true) return "asked";
    return failRun({ kind: TOOL, entry, args, incoming }, call, error);
  } finally {
    call.finish();
  }
}

async function asked(questions: Questions | undefined): Promise<RunOutcome> {
  const { inputRequests = {} } = (await questions?.pending()) ?? {};
  return { kind: "asked", inputRequests, rejected: questions?.rejected ?? new Map() };
}

/** Returns the context for the handler, or `undefined` if it was lost with the process that received the request. */
async function contextOf(
  { settings, contexts }: RunHost,
  { taskId, tool, request }: TaskRecord,
): Promise<{ readonly context: unknown } | undefined> {
  if (settings.context !== undefined) {
    return { context: await settings.context({ taskId, tool, auth: request.auth ?? undefined }) };
  }
  return request.hasContext ? contexts.get(taskId) : { context: undefined };
}

function toIncoming(
  host: ExtensionHost,
  { tool, request }: TaskRecord,
  { run, context }: { readonly run: TaskRun; readonly context: unknown },
): Incoming {
  const { id, args, meta, auth, revision, capabilities, clientInfo, logLevel } = request;
  return {
    id,
    method: "tools/call",
    params: { name: tool, arguments: args, _meta: meta },
    context,
    exchange: { connection: new Connection({ revision, pushes: false }), auth: auth ?? undefined },
    caller: { revision, capabilities, clientInfo: clientInfo ?? undefined, logLevel: logLevel ?? undefined },
    encoder: host.encoderOf(revision),
    services: host.services,
    detached: run,
  };
}
