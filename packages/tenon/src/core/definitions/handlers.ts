/**
 * @fileoverview Handlers for what was declared as data: they are filled in after the server is built.
 * @module core/handlers
 */
import type { JsonObject } from "@tenon/internal/json";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import { McpError } from "../../protocol/index.js";
import { compileSchema } from "../../schema/compile.js";
import { describeIssues } from "../../schema/issues.js";
import type { Call } from "../call/call.js";
import type { Resource, Tool } from "./json-definitions.js";
import { createResourceEntry, type ResourceDraft, type ResourceReturn } from "./resource.js";
import { createToolEntry, type CompileSettings, type ToolDraft, type ToolReturn } from "./tool.js";
import { ArgumentsError } from "./tool-errors.js";
import { withoutSchemaMeta } from "./validate.js";

/** Handles a tool. One instance serves every request. */
export interface ToolHandler<Context = unknown> {
  /** An `McpError`, thrown or returned, becomes a result that the model sees. */
  call(args: JsonObject, context: Context): MaybePromise<ToolReturn<undefined> | McpError>;
}

/** Handles a resource. One instance serves every request. */
export interface ResourceHandler<Context = unknown> {
  call(uri: string, context: Context): MaybePromise<ResourceReturn | McpError>;
}

/**
 * A tool handler from a function.
 *
 * @example server.handleTool("echo", new FnToolHandler((args) => textResult(String(args.text))))
 */
export class FnToolHandler<Context = unknown> implements ToolHandler<Context> {
  readonly call: ToolHandler<Context>["call"];

  constructor(call: ToolHandler<Context>["call"]) {
    this.call = call;
  }
}

/** Which checks the arguments of a declared tool get. */
export type DefinitionValidation = "meta" | "schema";

/** A place for a handler that comes later. */
export interface Slot<Handler> {
  handler: Handler | undefined;
}

/** A tool that was declared as data, with the place for its handler. */
export interface SlottedTool extends ToolDraft {
  readonly slot: Slot<ToolHandler>;
}

/** A resource that was declared as data, with the place for its handler. */
export interface SlottedResource extends ResourceDraft {
  readonly slot: Slot<ResourceHandler>;
}

/** A draft of a declared tool. */
export function draftDefinedTool(tool: Tool, validation: DefinitionValidation): SlottedTool {
  const slot: Slot<ToolHandler> = { handler: undefined };
  return {
    name: tool.name,
    slot,
    compile: (settings) =>
      createToolEntry(settings, {
        definition: tool,
        check: compileCheck(tool, validation, settings),
        output: validation === "schema" ? compileOutput(tool, settings) : undefined,
        handler: (args, call) => slot.handler?.call(args as JsonObject, contextOf(call)),
        isReady: () => slot.handler !== undefined,
        validationErrors: settings.validationErrors ?? "protocol",
        tags: [],
        scopes: [],
        deadlineMs: settings.deadlineMs,
      }),
  };
}

/** A draft of a declared resource. */
export function draftDefinedResource(resource: Resource): SlottedResource {
  const slot: Slot<ResourceHandler> = { handler: undefined };
  return {
    name: resource.name,
    uri: resource.uri,
    slot,
    compile: (settings) =>
      createResourceEntry(settings, {
        definition: resource,
        handler: (uri, call) => andThen(slot.handler?.call(uri, contextOf(call)) ?? "", unwrap),
        isReady: () => slot.handler !== undefined,
      }),
  };
}

/** The light check first, in its own words; then, where asked for, what the rest of the schema says. */
function compileCheck(tool: Tool, validation: DefinitionValidation, settings: CompileSettings) {
  const full =
    validation === "schema"
      ? compileSchema(withoutSchemaMeta(tool.inputSchema), {
          label: `Tool "${tool.name}" input`,
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
    compileSchema(outputSchema, { label: `Tool "${name}" output`, side: "output", jsonSchema })
  );
}

function contextOf(call: Call): unknown {
  return call.context;
}

function unwrap(value: ResourceReturn | McpError): ResourceReturn {
  if (value instanceof McpError) throw value;
  return value;
}
