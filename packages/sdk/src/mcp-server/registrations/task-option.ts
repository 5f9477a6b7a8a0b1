/**
 * @fileoverview The `task` option of `registerTool`, which the official SDK does not have.
 * @module sdk/mcp-server/registrations/task-option
 */
import { RequestError } from "tenon";
import { type ToolTask, toToolTask } from "tenon/host";
import { TASKS_EXTENSION } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import { INVALID_PARAMS } from "../requests/errors.js";
import type { Failure } from "../requests/request-scope.js";
import type { ToolTaskOption } from "../requests/types.js";

/** Compiles a `task` option. @throws if it is invalid or the server cannot run tasks */
export function compileTask(
  name: string,
  option: ToolTaskOption | undefined,
  hosted: { hasExtension(id: string): boolean },
): ToolTask | undefined {
  const label = `Tool "${name}"`;
  if (isJsonObject(option) && "prepare" in option)
    throw new TypeError(
      `${label}: \`McpServer\` does not support \`task.prepare\`. Use the callback instead.`,
    );
  const task = toToolTask(label, option);
  if (task === undefined || hosted.hasExtension(TASKS_EXTENSION)) return task;
  throw new Error(
    `${label} has a \`task\` option, but the server cannot run tasks. ` +
      'Call `server.extension(tasks())` before `registerTool`, with `tasks` from "tenon/tasks".',
  );
}

/** Creates the error that fails a task with a JSON-RPC error. */
export function toTaskError({ code, message, data }: Failure, cause: unknown): RequestError {
  const name = code === INVALID_PARAMS ? "INVALID_PARAMS" : "INTERNAL_ERROR";
  const error = new RequestError(name, message, isJsonObject(data) ? data : undefined);
  error.cause = cause;
  return error;
}
