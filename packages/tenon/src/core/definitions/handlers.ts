/**
 * @fileoverview Handlers for tools and resources declared as JSON. They are attached after the server is built.
 * @module tenon/core/definitions/handlers
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import { assertOptions, defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { custom } from "@tenon/internal/options/option-rows";
import { McpError } from "../../protocol/index.js";
import { compileSchema } from "../../schema/compile.js";
import { describeIssues } from "../../schema/issues.js";
import type { Call } from "../call/call.js";
import type { Resource, Tool } from "./json-definitions.js";
import { createResourceEntry, type ResourceDraft, type ResourceReturn } from "./resource.js";
import { createToolEntry, type CompileSettings, type ToolDraft, type ToolReturn } from "./tool.js";
import { type TaskMode, type ToolTaskOptions, type ToolTask, toToolTask } from "./tool-task.js";
import { ArgumentsError } from "./tool-errors.js";
import { withoutSchemaMeta } from "./validate.js";

/** Handles calls to a declared tool. One instance serves all requests. */
export interface ToolHandler<Context = unknown> {
  /** Runs the tool. An `McpError`, thrown or returned, becomes an error result that the model sees. */
  call(args: JsonObject, context: Context): MaybePromise<ToolReturn<undefined> | McpError>;
}

/** Handles reads of a declared resource. One instance serves all requests. */
export interface ResourceHandler<Context = unknown> {
  /** Reads the resource. An `McpError`, thrown or returned, becomes a JSON-RPC error. */
  call(uri: string, context: Context): MaybePromise<ResourceReturn | McpError>;
}

/** Function that handles calls to a declared tool. It receives the call instead of the context. */
export type ToolFunction<Context = unknown> = (
  args: JsonObject,
  call: Call<Context>,
) => MaybePromise<ToolReturn<undefined> | McpError>;

/** Function that handles reads of a declared resource. It receives the call instead of the context. */
export type ResourceFunction<Context = unknown> = (
  uri: string,
  call: Call<Context>,
) => MaybePromise<ResourceReturn | McpError>;

/** Excludes functions from a handler type: every function has a `call` method, but with other parameters. */
export interface NotAFunction {
  readonly apply?: never;
}

/**
 * Tool handler that wraps a function of the arguments and the context.
 *
 * @example server.handleTool("echo", new FnToolHandler((args) => textResult(String(args.text))))
 */
export class FnToolHandler<Context = unknown> implements ToolHandler<Context> {
  readonly call: ToolHandler<Context>["call"];

  constructor(call: ToolHandler<Context>["call"]) {
    this.call = call;
  }
}

/** Argument validation for declared tools. `meta` checks required fields only; `schema` checks the full JSON Schema. */
export type DefinitionValidation = "meta" | "schema";

/** Holds a handler that is attached after the server is built. */
export interface Slot<Handler> {
  handler: Handler | undefined;
}

const HANDLE_TOOL_OPTIONS = /* @__PURE__ */ defineOptions("handleTool", {
  /** Runs the tool as a task for clients that support tasks. */
  task: custom<unknown>({ aliases: ["tasks"] }),
});

/** Options for `handleTool`. */
export interface HandleToolOptions<Context> extends OptionsOf<typeof HANDLE_TOOL_OPTIONS> {
  /**
   * Runs the tool as a task for clients that support the Tasks extension. Add `tasks()` from `tenon/tasks` to the
   * server.
   */
  readonly task?: TaskMode | ToolTaskOptions<JsonObject, Context> | undefined;
}

/** Declared tool before it is compiled, with the slot for its handler. */
export interface SlottedTool extends ToolDraft {
  readonly slot: Slot<ToolFunction>;
  readonly task: ToolTask | undefined;
  /** Creates a draft with the same slot and a different `task` option. */
  readonly withTask: (task: ToolTask | undefined) => SlottedTool;
  /** Creates the same draft with an empty slot. */
  readonly withNewSlot: () => SlottedTool;
}

/** Declared resource before it is compiled, with the slot for its handler. */
export interface SlottedResource extends ResourceDraft {
  readonly slot: Slot<ResourceFunction>;
  /** Creates the same draft with an empty slot. */
  readonly withNewSlot: () => SlottedResource;
}

/** Copies drafts with empty slots, so that servers built from the same builder do not share handlers. */
export function withNewSlots<Draft extends object>(drafts: readonly Draft[]): readonly Draft[] {
  return drafts.map((draft) => (isSlotted(draft) ? draft.withNewSlot() : draft));
}

function isSlotted<Draft extends object>(draft: Draft): draft is Draft & { withNewSlot(): Draft } {
  return "withNewSlot" in draft;
}

/**
 * Fills a declared tool's slot. Returns the draft with the `task` option, which is the same draft if it does not change.
 *
 * @throws if the handler is not a function or an object with `call`, or if an option is invalid
 */
export function attachToolHandler<Context>(
  draft: SlottedTool,
  handler: ToolHandler<Context> | ToolFunction<Context>,
  options: HandleToolOptions<Context> = {},
): SlottedTool {
  const { name, slot } = draft;
  const label = `Tool "${name}"`;
  assertHandler(label, handler);
  assertOptions(HANDLE_TOOL_OPTIONS, options, `${label}: handleTool`);
  const task = toToolTask(label, options.task);
  // Every call on this server has this context type.
  slot.handler =
    typeof handler === "function"
      ? (handler as ToolFunction)
      : (args, call) => handler.call(args, call.context as Context);
  return task === draft.task ? draft : draft.withTask(task);
}

/** Fills a declared resource's slot. @throws if the handler is not a function or an object with `call` */
export function attachResourceHandler<Context>(
  { name, slot }: SlottedResource,
  handler: ResourceHandler<Context> | ResourceFunction<Context>,
): void {
  assertHandler(`Resource "${name}"`, handler);
  // Every call on this server has this context type.
  slot.handler =
    typeof handler === "function"
      ? (handler as ResourceFunction)
      : (uri, call) => handler.call(uri, call.context as Context);
}

function assertHandler(label: string, handler: unknown): void {
  const isHandler =
    typeof handler === "function" || (isJsonObject(handler) && typeof handler["call"] === "function");
  if (!isHandler)
    throw new TypeError(
      `${label}: the handler must be a function, or an object with a \`call\` method; got ${kindOf(handler)}.`,
    );
}

/** Creates a draft for a declared tool. Calls fail until its slot contains a handler. */
export function draftDefinedTool(tool: Tool, validation: DefinitionValidation): SlottedTool {
  const slot: Slot<ToolFunction> = { handler: undefined };
  const withTask = (task: ToolTask | undefined): SlottedTool => ({
    name: tool.name,
    slot,
    task,
    withTask,
    withNewSlot: () => draftDefinedTool(tool, validation),
    compile: (settings) =>
      createToolEntry(settings, {
        definition: tool,
        isFrozen: true,
        check: compileCheck(tool, validation, settings),
        output: validation === "schema" ? compileOutput(tool, settings) : undefined,
        handler: (args, call) => slot.handler?.(args as JsonObject, call),
        isReady: () => slot.handler !== undefined,
        taskOf: task && (() => task),
        validationErrors: settings.validationErrors ?? "protocol",
        tags: [],
        scopes: [],
        deadlineMs: settings.deadlineMs,
      }),
  });
  return withTask(undefined);
}

/** Creates a draft for a declared resource. Reads fail until its slot contains a handler. */
export function draftDefinedResource(resource: Resource): SlottedResource {
  const slot: Slot<ResourceFunction> = { handler: undefined };
  return {
    name: resource.name,
    uri: resource.uri,
    slot,
    withNewSlot: () => draftDefinedResource(resource),
    compile: (settings) =>
      createResourceEntry(settings, {
        definition: resource,
        isFrozen: true,
        handler: (uri, call) => andThen(slot.handler?.(uri, call) ?? "", unwrap),
        isReady: () => slot.handler !== undefined,
      }),
  };
}

/** Creates a check for required fields. If `validation` is `schema`, the check then validates the full JSON Schema. */
function compileCheck(tool: Tool, validation: DefinitionValidation, settings: CompileSettings) {
  const full =
    validation === "schema"
      ? compileSchema(withoutSchemaMeta(tool.inputSchema), {
          label: `Tool "${tool.name}": the input schema`,
          side: "input",
          jsonSchema: settings.jsonSchema,
        })
      : undefined;
  return (args: JsonObject) => {
    const problem = tool.validateArguments(args);
    if (problem !== undefined) throw new ArgumentsError(problem);
    if (full === undefined) return { value: args };
    return andThen(full.check(args), (checked) => {
      if (checked.issues !== undefined) throw new ArgumentsError(describeIssues(checked.issues));
      return checked;
    });
  };
}

function compileOutput(tool: Tool, { jsonSchema }: CompileSettings) {
  const { name, outputSchema } = tool;
  return (
    outputSchema &&
    compileSchema(outputSchema, { label: `Tool "${name}": the output schema`, side: "output", jsonSchema })
  );
}

function unwrap(value: ResourceReturn | McpError): ResourceReturn {
  if (value instanceof McpError) throw value;
  return value;
}
