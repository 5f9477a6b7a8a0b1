/**
 * @fileoverview Calls a tool in a task, with the request and the answers from the task's record.
 * @module tenon/tasks/running/call-in-task
 */
import type { JsonObject } from "@tenon/internal/json";
import { Call } from "../../core/call/call.js";
import type { Incoming } from "../../core/call/incoming.js";
import { failRun } from "../../core/call/operation.js";
import type { Questions } from "../../core/call/questions.js";
import type { ExtensionHost } from "../../core/definitions/attached-extension.js";
import type { ToolEntry } from "../../core/definitions/tool.js";
import { TOOL } from "../../core/methods/call-tool.js";
import { Connection } from "../../core/wire/connection.js";
import { type McpResponse, resultResponse } from "../../core/wire/response.js";
import type { RpcError } from "../../protocol/index.js";
import type { TaskSettings } from "../options.js";
import type { TaskRecord, TaskRequest } from "../state/record.js";
import { textBytes } from "../state/size.js";
import { internalError } from "../state/transitions.js";
import type { LiveContexts } from "./live-contexts.js";
import type { TaskRun } from "./task-run.js";

/** Outcome of a run. */
export type RunOutcome =
  | {
      readonly kind: "asked";
      readonly inputRequests: JsonObject;
      readonly rejected: ReadonlyMap<string, string>;
    }
  | { readonly kind: "result"; readonly text: string }
  | { readonly kind: "error"; readonly error: RpcError }
  /** The handler threw after it was told to stop. */
  | { readonly kind: "stopped" };

/** Parts of a server's tasks that a call needs. */
export interface CallHost {
  readonly host: ExtensionHost;
  readonly settings: TaskSettings;
  readonly contexts: LiveContexts;
  report(name: string, error: unknown): void;
  /** Logs that this node has taken over a task. */
  warn(tool: string, message: string): void;
}

/** Calls the tool as its request would. */
export async function callInTask(tasks: CallHost, record: TaskRecord, run: TaskRun): Promise<RunOutcome> {
  const { host, settings } = tasks;
  const entry = host.findTool(record.tool);
  if (entry === undefined) {
    const message = `The tool "${record.tool}" no longer exists.`;
    return { kind: "error", error: internalError(message) };
  }
  const context = await contextOf(tasks, record);
  if (context === undefined) {
    const error = new Error(
      `A task of the tool "${record.tool}" needs the context of its request, which ended with its process. ` +
        "Pass `context` to `tasks()`, so that it can be created again.",
    );
    tasks.report(record.tool, error);
    return { kind: "error", error: internalError("The task could not be continued after a restart.") };
  }
  // Copies, so that a handler cannot change what the next run gets.
  const { args, meta, answers, prepared } = structuredClone({
    args: record.request.args,
    meta: record.request.meta,
    answers: record.journal.answers,
    prepared: record.journal.prepared,
  });
  const params = { name: record.tool, arguments: args, _meta: meta };
  const incoming = toIncoming(host, record.request, { run, params, context: context.context });
  const call = new Call(incoming, { answers, once: prepared });
  run.onStop((reason) => call.abort(reason));
  // A task that has finished is never run again, so its changes must be stored before.
  const response = await host.services.changes.hold(() => respond(entry, call, run));
  if (response === "asked") return asked(call.questions);
  if (response === "stopped") return { kind: "stopped" };
  const text = String(response.parts().payload);
  const bytes = textBytes(text);
  if (bytes <= settings.maxResultBytes) {
    return response.kind === "error"
      ? { kind: "error", error: JSON.parse(text) as RpcError } // Safe: the core wrote it
      : { kind: "result", text };
  }
  const size = `${bytes} bytes (limit: ${settings.maxResultBytes})`;
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
  { settings, contexts }: CallHost,
  { taskId, tool, request }: TaskRecord,
): Promise<{ readonly context: unknown } | undefined> {
  if (settings.context !== undefined) {
    return { context: await settings.context({ taskId, tool, auth: request.auth ?? undefined }) };
  }
  return request.hasContext ? contexts.get(taskId) : { context: undefined };
}

/** Parts of a request that differ between the runs of a task. */
interface RunParts extends Pick<Incoming, "params" | "context"> {
  readonly run: TaskRun;
}

function toIncoming(host: ExtensionHost, request: TaskRequest, { run, params, context }: RunParts): Incoming {
  const { id, auth, revision, capabilities, clientInfo, logLevel } = request;
  return {
    id,
    method: "tools/call",
    params,
    context,
    exchange: { connection: new Connection({ revision, pushes: false }), auth: auth ?? undefined },
    caller: { revision, capabilities, clientInfo: clientInfo ?? undefined, logLevel: logLevel ?? undefined },
    encoder: host.encoderOf(revision),
    services: host.services,
    detached: run,
  };
}
