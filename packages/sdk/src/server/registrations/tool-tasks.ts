/**
 * @fileoverview `mcpServer.experimental.tasks`: registers tools that create tasks.
 * @module sdk/server/registrations/tool-tasks
 */
import { kindOf } from "@tenon/internal/kind-of";
import type { AnySchema, McpExtra, NotASchema, Parsed, Shape, ToolConfig } from "../../types.js";
import type { RequestScopes } from "../requests/request-scope.js";
import type { RequestTaskStore, Task } from "../task-types.js";
import type { TaskWaits } from "../tasks/task-queues.js";
import { createTaskCallback, isTaskToolHandler, type ToolExecution } from "../tasks/task-tools.js";
import { assertToolConfig } from "./check-config.js";
import type { RegisteredTool, ToolFacts } from "./tools.js";

type Later<Value> = Value | Promise<Value>;
type Input = undefined | Shape | AnySchema;

/** Last argument of `createTask`. */
type CreateExtra = McpExtra & { readonly taskStore: RequestTaskStore };

type TaskCallback<In extends Input, Extra, Result> = In extends AnySchema | Shape
  ? (args: Parsed<In>, extra: Extra) => Later<Result>
  : (extra: Extra) => Later<Result>;

/** Handler of a tool that creates tasks. The server uses only `createTask`, and reads the rest from the store. */
export interface ToolTaskHandler<In extends Input> {
  /** Creates the task and starts its work. */
  readonly createTask: TaskCallback<In, CreateExtra, { readonly task: Task }>;
  readonly getTask: TaskCallback<In, CreateExtra & { readonly taskId: string }, unknown>;
  readonly getTaskResult: TaskCallback<In, CreateExtra & { readonly taskId: string }, unknown>;
}

/** Definition of a tool that creates tasks. */
export interface TaskToolConfig<In extends Input, Out extends Input> extends Omit<
  ToolConfig<In, Out>,
  "task"
> {
  /**
   * Support for calls without a task.
   * @default { taskSupport: "required" }
   */
  readonly execution?: ToolExecution;
}

/** Parts of a server that register and run tools. */
interface ToolTaskHost {
  readonly requestScopes: RequestScopes;
  readonly waits: TaskWaits;
  add(
    name: string,
    given: Omit<ToolFacts, "enabled" | "inputSchema" | "outputSchema"> & {
      readonly inputSchema?: unknown;
      readonly outputSchema?: unknown;
    },
  ): RegisteredTool;
}

/** The experimental functions of `McpServer` for tasks. */
export class ToolTasks {
  readonly #host: ToolTaskHost;

  /** @internal created by `McpServer` */
  constructor(host: ToolTaskHost) {
    this.#host = host;
  }

  /** Registers a tool that creates tasks. @throws if the name is already in use or the definition is invalid */
  registerToolTask<Out extends Input = undefined, In extends Input = undefined>(
    name: string,
    config: TaskToolConfig<In, Out> & NotASchema,
    handler: ToolTaskHandler<In>,
  ): RegisteredTool {
    const { execution: given, ...definition } = config;
    assertToolConfig(name, definition);
    const execution = { taskSupport: "required", ...given } as const;
    if (execution.taskSupport === "forbidden") {
      throw new Error(
        `Cannot register task-based tool '${name}' with taskSupport 'forbidden'. Use registerTool() instead.`,
      );
    }
    if (!isTaskToolHandler(handler) || typeof handler.createTask !== "function") {
      throw new TypeError(
        `Tool "${name}": the handler must be an object with a \`createTask\` function; got ${kindOf(handler)}.`,
      );
    }
    const callback = createTaskCallback(handler, this.#host);
    return this.#host.add(name, { ...definition, task: undefined, execution, handler: callback });
  }
}
