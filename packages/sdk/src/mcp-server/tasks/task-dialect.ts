/**
 * @fileoverview Adds tasks to the behavior of a server.
 * @module sdk/mcp-server/tasks/task-dialect
 */
import type { Dialect } from "../dialect.js";
import { isForClients, toFailure } from "../requests/errors.js";
import { failureResponse } from "../requests/own-methods.js";
import { RequestScope } from "../requests/request-scope.js";
import { relatedTaskOf } from "../requests/task-types.js";
import { toTaskResponse } from "./task-tools.js";
import type { TaskSupport } from "./task-support.js";

/** Adds tasks to a dialect: checks requests that use tasks, and sends created tasks. */
export function withTasks(dialect: Dialect, tasks: TaskSupport): Dialect {
  return {
    ...dialect,
    intercept(message, exchange) {
      const missing = message.method === "tools/call" ? tasks.missingFor(message, exchange) : undefined;
      if (missing === undefined) return dialect.intercept?.(message, exchange);
      return failureResponse(new RequestScope(message, exchange), { code: -32603, message: missing });
    },
    run(scope, callback) {
      if (relatedTaskOf(scope.message.params) === undefined) return dialect.run(scope, callback);
      return runRelated(tasks, scope, () => dialect.run(scope, callback));
    },
    async runOwn(own, scope) {
      const missing = tasks.missingFor(scope.message, scope.exchange);
      if (missing !== undefined) throw Object.assign(new Error(missing), { code: -32603 });
      await tasks.assertRelated(scope);
      return dialect.runOwn(own, scope);
    },
    convert(scope, response, conversion) {
      const converted = dialect.convert(scope, response, conversion);
      return toTaskResponse(scope, converted, conversion.encoderOf);
    },
  };
}

/** Runs a callback for a request that belongs to a task. A session without that task gets a JSON-RPC error. */
async function runRelated(tasks: TaskSupport, scope: RequestScope, run: () => unknown): Promise<unknown> {
  try {
    await tasks.assertRelated(scope);
  } catch (error) {
    if (isForClients(error)) scope.failure = toFailure(error, true);
    throw error;
  }
  return run();
}
