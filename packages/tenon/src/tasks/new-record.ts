/**
 * @fileoverview Creates the record of a new task from its request.
 * @module tenon/tasks/new-record
 */
import { toBase64Url } from "@tenon/internal/base64";
import type { JsonObject } from "@tenon/internal/json";
import type { Call } from "../core/call/call.js";
import { keepIdempotencyKey } from "../core/call/idempotency-key.js";
import { type CallState, EMPTY_STATE } from "../core/call/state.js";
import type { ExtensionHost } from "../core/definitions/attached-extension.js";
import type { ToolEntry } from "../core/definitions/tool.js";
import type { ToolTask } from "../core/definitions/tool-task.js";
import type { TaskSettings } from "./options.js";
import type { TaskRecord, TaskRequest } from "./state/record.js";
import { BASE_BYTES, jsonBytes } from "./state/size.js";
import { EMPTY_JOURNAL } from "./state/transitions.js";

/** Call that becomes a task. */
export interface NewTask {
  readonly entry: ToolEntry;
  readonly task: ToolTask;
  readonly call: Call;
  /** Arguments as the client sent them. They are validated again in every run. */
  readonly args: JsonObject;
}

/** Creates the record of a task that has not started. */
export function createRecord(
  { host, settings }: { readonly host: ExtensionHost; readonly settings: TaskSettings },
  { entry, task, call, args }: NewTask,
): TaskRecord {
  const { ports } = host.services;
  const now = ports.now();
  const { resultTtlMs } = settings;
  const ttlMs = task.ttlMs === undefined ? settings.ttlMs : task.ttlMs;
  const gathered = call.questions?.gathered() ?? EMPTY_STATE;
  // The handler must get the same values in every run, so objects become JSON now.
  const { answers, once } = JSON.parse(JSON.stringify(gathered)) as CallState; // Safe: the same members
  const request = toRequest(call, args);
  return {
    taskId: toBase64Url(ports.randomBytes(ID_BYTES)),
    server: host.name,
    tool: entry.name,
    scopes: scopesOf(host.findTool(entry.name) ?? entry, args),
    principal: call.auth?.principal ?? null,
    request,
    policy: { onLostWorker: task.onLostWorker, maxLostWorkers: task.maxLostWorkers, resultTtlMs },
    status: "working",
    statusMessage: null,
    createdAt: now,
    updatedAt: now,
    ttlMs,
    pollIntervalMs: task.pollIntervalMs ?? settings.pollIntervalMs,
    // Leaves time to report that the task has expired.
    deleteAt: ttlMs === null ? null : now + ttlMs + resultTtlMs,
    run: 0,
    isRunning: false,
    runId: null,
    lostWorkers: 0,
    isCancelRequested: false,
    journal: { ...EMPTY_JOURNAL, answers, prepared: once },
    result: null,
    error: null,
    bytes: BASE_BYTES + jsonBytes([request, answers, once]),
  };
}

/** Returns the scopes that a call requires: those of the tool, and those of the action that the arguments select. */
function scopesOf({ scopes, restricted }: ToolEntry, args: JsonObject): readonly string[] {
  return [...scopes, ...(restricted?.scopesOf(args) ?? [])];
}

/** Number of random bytes in a task's ID, which must be impossible to guess. */
const ID_BYTES = 18;

function toRequest(call: Call, args: JsonObject): TaskRequest {
  const { revision, capabilities, clientInfo, logLevel } = call.incoming.caller;
  const { auth } = call;
  return {
    id: call.id,
    args,
    meta: keepIdempotencyKey(call, withoutEnvelope(call.meta)),
    auth: auth === undefined ? null : { ...auth, scopes: [...auth.scopes] },
    revision,
    capabilities,
    clientInfo: clientInfo ?? null,
    logLevel: logLevel ?? null,
    hasContext: call.context !== undefined,
  };
}

/** Removes the protocol's own keys from `_meta`. Keys such as a trace context stay. */
function withoutEnvelope(meta: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(meta).filter(
      ([key]) => !key.startsWith("io.modelcontextprotocol/") && key !== "progressToken",
    ),
  );
}
