/**
 * @fileoverview Tools as the official SDK registers them, and the drafts they become.
 * @module app/mcp-server/tools
 */
import type { Call } from "tenon/host";
import { ArgumentsError, createToolEntry, OutputError, type ToolDraft } from "tenon/host";
import { isToolResult } from "tenon/host";
import { hasMoreValues, isJsonObject, type JsonObject } from "@tenon/internal/json";
import { andThen } from "@tenon/internal/maybe-promise";
import type { ToolHints, ToolResult } from "tenon/protocol";
import type { CompiledSchema } from "tenon/host";
import { describeFor, failTool, INVALID_PARAMS, numbered } from "../requests/errors.js";
import { compile, toSchema } from "./schemas.js";
import { Registration, said, type RegistryHost } from "./registry.js";
import type { AnySchema, Callback, Shape, ToolCallback } from "../requests/types.js";

/** What a tool says of itself, and its callback. */
export interface ToolFacts {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly inputSchema: AnySchema | undefined;
  readonly outputSchema: AnySchema | undefined;
  readonly annotations: ToolHints | undefined;
  readonly _meta: JsonObject | undefined;
  readonly handler: Callback;
  readonly enabled: boolean;
}

/** What can be changed of a registered tool. */
export interface ToolUpdates<Input extends Shape, Output extends Shape> {
  /** Another name; null takes the tool off. */
  readonly name?: string | null;
  readonly title?: string;
  readonly description?: string;
  readonly paramsSchema?: Input;
  readonly outputSchema?: Output;
  readonly annotations?: ToolHints;
  readonly _meta?: Record<string, unknown>;
  readonly callback?: ToolCallback<Input>;
  readonly enabled?: boolean;
}

/** A tool on a server. Every change reaches its clients. */
export class RegisteredTool extends Registration<ToolFacts, ToolDraft> {
  get description(): string | undefined {
    return this.slot.facts.description;
  }

  get inputSchema(): AnySchema | undefined {
    return this.slot.facts.inputSchema;
  }

  get outputSchema(): AnySchema | undefined {
    return this.slot.facts.outputSchema;
  }

  get annotations(): ToolHints | undefined {
    return this.slot.facts.annotations;
  }

  get _meta(): JsonObject | undefined {
    return this.slot.facts._meta;
  }

  get handler(): Callback {
    return this.slot.facts.handler;
  }

  /** Changes it. @throws and changes nothing, where the new name is taken or a schema cannot be used */
  update<Input extends Shape, Output extends Shape>(updates: ToolUpdates<Input, Output>): void {
    const { name, paramsSchema, outputSchema, callback, ...rest } = updates;
    this.slot.change(
      said({
        ...rest,
        inputSchema: toSchema(paramsSchema),
        outputSchema: toSchema(outputSchema),
        handler: callback,
      }),
      name,
    );
  }
}

/** The draft of a tool. */
export function draftTool(name: string, facts: ToolFacts, host: RegistryHost): ToolDraft {
  const { title, description, annotations, _meta } = facts;
  return {
    name,
    compile(settings) {
      const label = `Tool ${name}`;
      const input = facts.inputSchema && compile(facts.inputSchema, `${label} input`, "input");
      const output = facts.outputSchema && compile(facts.outputSchema, `${label} output`, "output");
      const described = said({ title, description, annotations, _meta });
      return createToolEntry(settings, {
        definition: {
          name,
          ...described,
          inputSchema: input?.jsonSchema ?? NO_INPUT,
          ...(output === undefined ? {} : { outputSchema: output.jsonSchema }),
        },
        check: (args) => checkInput(name, input, args, host.maxInputElements),
        handler: (args, call) => run(name, facts, output, host, args, call),
        validationErrors: "result",
        tags: [],
        scopes: [],
        deadlineMs: settings.deadlineMs,
      });
    },
  };
}

const NO_INPUT: JsonObject = { type: "object", properties: {} };

function checkInput(
  name: string,
  input: CompiledSchema | undefined,
  args: JsonObject,
  maxElements: number | undefined,
) {
  const refuse = (text: string): never => {
    throw new ArgumentsError(text, numbered(INVALID_PARAMS, text));
  };
  if (maxElements !== undefined && hasMoreValues(args, maxElements)) {
    return refuse(
      `Invalid arguments for tool ${name}: arguments contain more than the maximum of ${maxElements} elements`,
    );
  }
  if (input === undefined) return { value: undefined };
  return andThen(input.check(args), (checked) =>
    checked.issues === undefined
      ? checked
      : refuse(`Input validation error: Invalid arguments for tool ${name}: ${describeFor(checked.issues)}`),
  );
}

async function run(
  name: string,
  { inputSchema, handler }: ToolFacts,
  output: CompiledSchema | undefined,
  host: RegistryHost,
  args: unknown,
  call: Call,
): Promise<ToolResult> {
  const visit = host.visits.enter(call);
  const extra = host.extraOf(visit);
  // Its type went by its schema when it was registered.
  const callback = handler as (...given: readonly unknown[]) => unknown;
  try {
    const value = await (inputSchema === undefined ? callback(extra) : callback(args, extra));
    const result = isJsonObject(value) ? { content: [], ...value } : value;
    if (!isToolResult(result)) {
      // A defect of the server's, so that it is an error and no result.
      visit.failure = { code: INVALID_PARAMS, message: numbered(INVALID_PARAMS, NO_RESULT) };
      throw new OutputError(NO_RESULT);
    }
    if (output !== undefined && result.isError !== true) await checkOutput(name, output, result);
    return result;
  } catch (error) {
    return failTool(visit, error);
  }
}

async function checkOutput(name: string, output: CompiledSchema, result: ToolResult): Promise<void> {
  const refuse = (text: string): never => {
    throw new OutputError(numbered(INVALID_PARAMS, `Output validation error: ${text}`));
  };
  if (!isJsonObject(result.structuredContent)) {
    refuse(`Tool ${name} has an output schema but no structured content was provided`);
  }
  const { issues } = await output.check(result.structuredContent);
  if (issues !== undefined) refuse(`Invalid structured content for tool ${name}: ${describeFor(issues)}`);
}

const NO_RESULT = "Invalid tools/call result: a callback must return an object with content blocks";
