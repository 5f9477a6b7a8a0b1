/**
 * @fileoverview Runs calls to tools that have a `task` option: creates a task for clients that declared the extension,
 * and runs the tool in the request for the others.
 * @module tenon/tasks/task-kind
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { isInstance } from "@tenon/internal/thrown";
import type { Call } from "../core/call/call.js";
import { refuseWith } from "../core/call/incoming.js";
import type { OperationKind } from "../core/call/operation.js";
import type { ToolEntry } from "../core/definitions/tool.js";
import { parseArguments, TOOL } from "../core/methods/call-tool.js";
import { ERRORS, McpError, TASKS_EXTENSION, type ToolResult, TRAITS } from "../protocol/index.js";
import { type TaskRecord, toTask } from "./state/record.js";
import type { TaskRuntime } from "./task-runtime.js";

/** Creates the operation for tools that have a `task` option. */
export function createTaskKind(tasks: TaskRuntime): OperationKind<ToolEntry, unknown> {
  return {
    noun: TOOL.noun,

    async run(entry, args, call) {
      const checked = await parseArguments(entry, args);
      const task = entry.taskOf?.(checked);
      if (task === undefined) return entry.run(checked, call);
      const asTask = declaresTasks(call);
      if (!asTask && task.mode === "required") throw new TaskRequiredError(entry.name);
      if (!asTask) return entry.run(checked, call);
      if (task.prepare !== undefined) {
        const result = await entry.prepare(checked, call);
        if (result !== undefined) return result;
      }
      // The client repeats the call when it has the answers that `prepare` asked for.
      if (call.questions?.open === true) return undefined;
      call.signal.throwIfAborted();
      return new CreatedTask(await tasks.create({ entry, task, call, args: args as JsonObject })); // Safe: see `callTool`
    },

    encode(entry, result, incoming) {
      return result instanceof CreatedTask
        ? incoming.encoder.custom({ resultType: "task", ...toTask(result.record) })
        : TOOL.encode(entry, result as ToolResult | string, incoming); // Safe: `entry.run` returned it
    },

    fail(entry, error, incoming) {
      if (isInstance(error, TaskRequiredError)) {
        const { code, message, details: data } = error;
        // The same code in every revision, because clients act on it.
        return refuseWith(incoming, {
          error: code,
          message,
          data,
          code: ERRORS.MISSING_CAPABILITY.modernRpc,
        });
      }
      return TOOL.fail(entry, error, incoming);
    },
  };
}

/** Returns true if the client declared the extension in this request. Older revisions do not have it. */
export function declaresTasks({ client }: Call): boolean {
  const { capabilities, revision } = client;
  return TRAITS[revision].stateless && isJsonObject(capabilities.extensions?.[TASKS_EXTENSION]);
}

/** Throws an error if the client did not declare the extension in this request. */
export function assertTasksDeclared(call: Call): void {
  if (declaresTasks(call)) return;
  throw new McpError(
    "MISSING_CAPABILITY",
    `The client must declare the extension "${TASKS_EXTENSION}" in this request.`,
    REQUIRED,
  );
}

const REQUIRED = { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } };

class CreatedTask {
  constructor(readonly record: TaskRecord) {}
}

/** Thrown for a tool that runs only as a task. */
class TaskRequiredError extends McpError {
  constructor(tool: string) {
    super(
      "MISSING_CAPABILITY",
      `Tool "${tool}" runs only as a task. The client must declare the extension "${TASKS_EXTENSION}".`,
      REQUIRED,
    );
  }
}
