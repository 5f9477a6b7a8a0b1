/**
 * @fileoverview `tasks()`: the MCP extension that runs tools as tasks, which outlive their request.
 * @module tenon/tasks/extension
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { parseOptions, pickOptions } from "@tenon/internal/options/define-options";
import type { Call } from "../core/call/call.js";
import type { AttachableExtension, ExtensionHost } from "../core/definitions/attached-extension.js";
import { type Extension, extension, type ExtensionMethod } from "../core/definitions/extension.js";
import { McpError, TASKS_EXTENSION } from "../protocol/index.js";
import { createEmbeddedEngine } from "./engine/create-engine.js";
import { EMBEDDED_OPTIONS, ENGINE_LIMITS } from "./engine/engine-options.js";
import { isEngineSource, type TaskEngineSource } from "./engine/engine-source.js";
import type { TaskEngine } from "./engine/task-engine.js";
import { createListenHook } from "./listen.js";
import { parseTasksOptions, type TasksOptions } from "./options.js";
import { toDetailedTask } from "./state/record.js";
import { assertTasksDeclared, createTaskKind } from "./task-kind.js";
import { TaskRuntime } from "./task-runtime.js";

/**
 * Creates the Tasks extension. Tools with a `task` option then run as tasks for clients that support it.
 *
 * @example
 * const server = defineServer({ name: "reports", version: "1.0.0" })
 *   .extension(tasks({ directory: "data/tasks" }))
 *   .tool("report", { task: "optional", handler: writeReport });
 * @throws {TypeError} if an option is unknown or invalid
 */
export function tasks(options: TasksOptions = {}): Extension {
  const settings = parseTasksOptions(options);
  const { engine } = options;
  const plain = extension({ id: TASKS_EXTENSION, capability: {} });
  const attachable: AttachableExtension = {
    ...plain,
    attach(host) {
      const { ports, keyRing } = host.services;
      const ring = keyRing.hasOwnSecrets ? keyRing : undefined;
      const own = engine ?? createEmbeddedEngine({ ...pickOptions(EMBEDDED_OPTIONS, options), ports }, ring);
      const runtime = new TaskRuntime(host, settings, { engine: own, isShared: engine !== undefined });
      return {
        methods: createMethods(runtime),
        taskKind: createTaskKind(runtime),
        listen: createListenHook(runtime),
        useCluster: ({ store }) => {
          if (engine === undefined && isEngineSource(store))
            runtime.useEngine(createSharedEngine(store, options, host));
        },
        start: () => runtime.start(),
        idle: () => runtime.idle(),
      };
    },
  };
  return attachable;
}

/** Creates an engine on the transport's shared store. @throws {TypeError} if the tasks have their own directory */
function createSharedEngine(
  source: TaskEngineSource,
  options: TasksOptions,
  host: ExtensionHost,
): TaskEngine {
  if (options.directory !== undefined)
    throw new TypeError(
      "tasks: `directory` cannot be combined with a shared `store`, which keeps the tasks of all nodes. " +
        "Remove one of them.",
    );
  const limits = parseOptions(ENGINE_LIMITS, pickOptions(ENGINE_LIMITS, options));
  return source.createTaskEngine({ server: host.name, sealer: host.services.records, limits });
}

function createMethods(runtime: TaskRuntime): Readonly<Record<string, ExtensionMethod>> {
  return {
    "tasks/get": toMethod(async (taskId, call) => toDetailedTask(await runtime.find(taskId, call))),
    "tasks/update": toMethod(async (taskId, call, { inputResponses }) => {
      if (!isJsonObject(inputResponses)) {
        const got = kindOf(inputResponses);
        throw new McpError("INVALID_PARAMS", `\`inputResponses\` must be an object; got ${got}.`);
      }
      await runtime.answer(taskId, call, inputResponses);
      return {};
    }),
    "tasks/cancel": toMethod(async (taskId, call) => {
      await runtime.cancel(taskId, call);
      return {};
    }),
  };
}

/** Creates a method about one task, for clients that declare the extension. */
function toMethod(
  run: (taskId: string, call: Call, params: JsonObject) => Promise<JsonObject>,
): ExtensionMethod {
  return {
    async handler(params, call) {
      assertTasksDeclared(call);
      return run(readTaskId(params), call, params);
    },
  };
}

function readTaskId({ taskId }: JsonObject): string {
  if (typeof taskId === "string") return taskId;
  throw new McpError("INVALID_PARAMS", `\`taskId\` must be a string; got ${kindOf(taskId)}.`);
}
