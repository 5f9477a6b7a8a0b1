/**
 * @fileoverview Registered tools with the official SDK's interface, and drafts for the core.
 * @module sdk/server/registrations/tools
 */
import {
  ArgumentsError,
  assertScopes,
  type Call,
  type CompiledSchema,
  createToolEntry,
  OutputError,
  type ToolDraft,
  type ToolTask,
  toToolTask,
} from "tenon/host";
import { RequestError } from "tenon";
import { type Icon, TASKS_EXTENSION, type ToolHints, type ToolResult } from "tenon/protocol";
import { deepFreeze, frozenCopy } from "@tenon/internal/deep-freeze";
import { hasMoreValues, isJsonObject, type JsonObject, withoutUndefined } from "@tenon/internal/json";
import { andThen } from "@tenon/internal/maybe-promise";
import type { AnySchema, Callback, Shape, ToolCallback, ToolTaskOption } from "../../types.js";
import type { Dialect } from "../dialect.js";
import { INVALID_PARAMS } from "../requests/errors.js";
import { isCallResult, withContent } from "../requests/handlers.js";
import type { Failure, RequestScope } from "../requests/request-scope.js";
import { assertTaskUse, type ToolExecution } from "../tasks/task-tools.js";
import { certainlyCompiles, isFlat, isPlainInput, rememberCompiled } from "./known-schemas.js";
import { type CommonFacts, type CommonUpdates, registrationOf, type RegistryHost } from "./registry.js";

/** Tool definition and callback. */
export interface ToolFacts extends CommonFacts {
  readonly description?: string | undefined;
  readonly inputSchema: AnySchema | undefined;
  readonly outputSchema: AnySchema | undefined;
  readonly annotations?: ToolHints | undefined;
  readonly icons?: readonly Icon[] | undefined;
  readonly _meta?: JsonObject | undefined;
  readonly execution?: ToolExecution | undefined;
  /** Compiled `task` option. */
  readonly task?: ToolTask | undefined;
  readonly handler: Callback;
}

/** Changes to a registered tool. Omitted properties keep their values. */
export interface ToolUpdates<Input extends Shape, Output extends Shape> extends CommonUpdates {
  /** New name. `null` removes the tool. */
  readonly name?: string | null;
  readonly description?: string;
  readonly paramsSchema?: Input;
  readonly outputSchema?: Output;
  readonly annotations?: ToolHints;
  readonly icons?: readonly Icon[];
  readonly _meta?: Record<string, unknown>;
  readonly callback?: ToolCallback<Input>;
}

/** A registered tool. Every change notifies clients. */
export class RegisteredTool extends registrationOf<ToolFacts, ToolDraft>()(
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
  "icons",
  "_meta",
  "handler",
) {
  get execution(): ToolExecution {
    return this.slot.facts.execution ?? { taskSupport: "forbidden" };
  }

  /**
   * Updates the tool.
   *
   * @throws if the name is already in use or a schema is not supported. The tool is then unchanged.
   */
  update<Input extends Shape, Output extends Shape>(updates: ToolUpdates<Input, Output>): void {
    const { name, paramsSchema, outputSchema, callback, ...rest } = updates;
    const { toSchema } = this.slot.dialect;
    const schemas = { inputSchema: toSchema(paramsSchema), outputSchema: toSchema(outputSchema) };
    this.apply({ ...rest, ...schemas, handler: callback }, name);
  }
}

/**
 * Creates a tool draft for the core.
 *
 * @param hasPlainInput true if the input schema certainly compiles. It is then not read before a client uses the tool
 */
export function draftTool(parts: ToolParts, hasPlainInput: boolean): ToolDraft {
  const { name, facts, host } = parts;
  const { title, description, annotations, icons, _meta, execution, scopes = [], task } = facts;
  if (facts.scopes !== undefined) assertScopes(`Tool "${name}"`, scopes);
  const { outputSchema } = facts;
  return {
    name,
    isChecked:
      (task ?? icons ?? _meta ?? execution) === undefined &&
      isFlat(annotations) &&
      (hasPlainInput || certainlyCompiles(facts.inputSchema, "input")) &&
      certainlyCompiles(outputSchema, "output"),
    compile(settings) {
      const label = `Tool "${name}"`;
      const { dialect } = host;
      const { inputSchema } = facts;
      const input = inputSchema && dialect.compile(inputSchema, `${label}: the input schema`, "input");
      const output = outputSchema && dialect.compile(outputSchema, `${label}: the output schema`, "output");
      const described = withoutUndefined({ title, description, annotations, icons, _meta, execution });
      const entry = createToolEntry(settings, {
        // Compiled schemas are frozen. Servers that share a schema share its definition too.
        definition: Object.freeze({
          name,
          ...frozenCopy(described),
          // A call does not need it, and converting it takes longer than the call.
          get inputSchema() {
            return input?.jsonSchema ?? NO_INPUT;
          },
          ...(output === undefined ? {} : { outputSchema: output.jsonSchema }),
        }),
        isFrozen: true,
        isPlainInput: inputSchema === undefined || isPlainInput(inputSchema),
        check: createInputValidator(parts, input),
        handler: createToolRunner(parts, output),
        taskOf: task && (() => task),
        validationErrors: "result",
        tags: [],
        scopes,
        deadlineMs: settings.deadlineMs,
      });
      rememberCompiled(inputSchema, "input");
      rememberCompiled(outputSchema, "output");
      return entry;
    },
  };
}

/** Parts of a registered tool. */
interface ToolParts {
  readonly name: string;
  readonly facts: ToolFacts;
  readonly host: RegistryHost;
}

const NO_INPUT: JsonObject = /* @__PURE__ */ deepFreeze({ type: "object", properties: {} });

/** Creates the function that validates arguments. The function throws `ArgumentsError` if they are invalid. */
function createInputValidator({ name, facts, host }: ToolParts, input: CompiledSchema | undefined) {
  const { execution, handler } = facts;
  const { dialect, maxInputElements: maxElements } = host;
  const refuse = (text: string): never => {
    throw new ArgumentsError(text, dialect.describeError(INVALID_PARAMS, text));
  };
  return (args: JsonObject) => {
    assertTaskUse({ name, execution, handler }, host.hosted.requestScopes.current);
    if (maxElements !== undefined && hasMoreValues(args, maxElements)) {
      return refuse(
        `Invalid arguments for tool ${name}: arguments contain more than the maximum of ${maxElements} elements`,
      );
    }
    if (input === undefined) return { value: undefined };
    return andThen(input.check(args), (checked) =>
      checked.issues === undefined
        ? checked
        : refuse(
            `Input validation error: Invalid arguments for tool ${name}: ${dialect.describeIssues(checked.issues)}`,
          ),
    );
  };
}

/** Creates the function that runs a tool's callback and validates its result. */
function createToolRunner({ name, facts, host }: ToolParts, output: CompiledSchema | undefined) {
  const hasInput = facts.inputSchema !== undefined;
  // Safe: the callback was type-checked against the same schema at registration.
  const callback = facts.handler as (...given: readonly unknown[]) => unknown;
  const run = async (args: unknown, scope: RequestScope): Promise<ToolResult> => {
    const { dialect } = host;
    try {
      const value = await dialect.run(scope, (extra) => (hasInput ? callback(args, extra) : callback(extra)));
      const result = withContent(value);
      if (!isCallResult(result)) {
        // A bug in the server is reported as a JSON-RPC error, not as a tool result.
        scope.failure = { code: INVALID_PARAMS, message: dialect.describeError(INVALID_PARAMS, NO_RESULT) };
        throw new OutputError(NO_RESULT);
      }
      if (output !== undefined && result.isError !== true && scope.reply === undefined) {
        await validateOutput(result, output, { name, dialect });
      }
      return result;
    } catch (error) {
      return dialect.failTool(scope, error);
    }
  };
  return (args: unknown, call: Call): Promise<ToolResult> => {
    const scope = host.hosted.requestScopes.enter(call);
    if (call.taskId === undefined) return run(args, scope);
    return host.hosted.requestScopes.run(scope, () => runTask(scope, () => run(args, scope)));
  };
}

/** Runs a callback in a task. An error that a request would report as a JSON-RPC error fails the task. */
async function runTask(scope: RequestScope, run: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run();
  } catch (error) {
    throw scope.failure === undefined ? error : toTaskError(scope.failure, error);
  } finally {
    scope.isOver = true;
  }
}

/** Validates structured content against the output schema. @throws `OutputError` if it does not match */
async function validateOutput(
  { structuredContent: content }: ToolResult,
  output: CompiledSchema,
  { name, dialect }: { readonly name: string; readonly dialect: Dialect },
): Promise<void> {
  const refuse = (text: string): never => {
    throw new OutputError(dialect.describeError(INVALID_PARAMS, `Output validation error: ${text}`));
  };
  if (dialect.anyOutput ? content === undefined : !isJsonObject(content)) {
    refuse(`Tool ${name} has an output schema but no structured content was provided`);
  }
  const { issues } = await output.check(content);
  if (issues !== undefined) {
    refuse(`Invalid structured content for tool ${name}: ${dialect.describeIssues(issues)}`);
  }
}

const NO_RESULT = "Invalid tools/call result: a callback must return an object with content blocks";

/** Compiles a `task` option. @throws if it is invalid or the server cannot run tasks */
export function compileTask(
  name: string,
  option: ToolTaskOption | undefined,
  hosted: { hasExtension(id: string): boolean },
): ToolTask | undefined {
  if (option === undefined) return undefined;
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
