/**
 * @fileoverview Tool definitions and their compiled entries. Every kind of tool compiles to the same entry type.
 * @module tenon/core/definitions/tool
 */
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { isJsonObject, type JsonObject, withoutUndefined } from "@tenon/internal/json";
import { andThen, isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import {
  compileHeaderRules,
  type ContentBlock,
  type HeaderRules,
  McpError,
  type McpToolDefinition,
  type ToolHints,
  type ToolResult,
} from "../../protocol/index.js";
import type { HeaderRule } from "../../protocol/revisions/headers.js";
import { isObjectSchema } from "../../protocol/revisions/project-definitions.js";
import { compileSchema } from "../../schema/compile.js";
import { describeIssues } from "../../schema/issues.js";
import type {
  CheckResult,
  CompiledSchema,
  InputOf,
  Issue,
  JsonSchemaCompiler,
  NotAShape,
  OutputOf,
  ValidatedCall,
  Schema,
} from "../../schema/schema.js";
import type { Call } from "../call/call.js";
import type { Auth } from "../wire/exchange.js";
import { layered, type Middleware } from "../call/middleware.js";
import type { Runnable } from "../call/operation.js";
import { kindOf, schemaKindOf } from "@tenon/internal/kind-of";
import { assertOptions, defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom, text, texts } from "@tenon/internal/options/option-rows";
import { COMMON_OPTIONS, DEFINITION, HANDLER_ALIASES } from "./definition-checks.js";
import { createPrepare, type Preparer, type TaskLookup, withPrepare } from "./prepare-task.js";
import { type TaskMode, type ToolTaskOptions, toToolTask } from "./tool-task.js";
import { OutputError } from "./tool-errors.js";
import { isStream, toResult } from "./results/stream-result.js";
import { isToolResult, toStructuredResult } from "./results/tool-result.js";

/** Reports invalid arguments as a JSON-RPC error (`protocol`) or as a tool result that the model sees (`result`). */
export type ValidationErrors = "protocol" | "result";

/** Options for `.tool()`. */
export const TOOL_OPTIONS = /* @__PURE__ */ defineOptions(
  "tool",
  {
    ...COMMON_OPTIONS.rows,
    /** Description for the model: what the tool does, and when and how to use it. */
    description: text({ allowEmpty: true }),
    /** Schema of the arguments. */
    input: custom<unknown>({
      aliases: ["args", "arguments", "inputSchema", "parameters", "params", "schema"],
    }),
    /** Schema of the structured result. */
    output: custom<unknown>({ aliases: ["outputSchema", "returns"] }),
    /** Hints for clients, such as `readOnlyHint`. */
    annotations: custom<ToolHints>({ aliases: ["hints"] }),
    /** Tags that `server.view()` filters by. Clients do not receive them. */
    tags: texts({ default: [] }),
    /** Runs the tool as a task for clients that support tasks. */
    task: custom<unknown>({ aliases: ["tasks", "taskSupport", "execution", "onLostWorker"] }),
    /** Function that runs the tool. */
    handler: callback<unknown>({ required: true, aliases: HANDLER_ALIASES }),
  },
  DEFINITION,
);

/** Tool definition for `.tool()`. */
export interface ToolSpec<
  Context,
  In extends Schema | undefined,
  Out extends Schema | undefined,
> extends OptionsOf<typeof TOOL_OPTIONS> {
  /** Schema for the arguments. If omitted, the tool takes no arguments and ignores any that clients send. */
  readonly input?: In & NotAShape<In>;
  /** Schema for the output. The validated output is sent as structured content. */
  readonly output?: Out & NotAShape<Out>;
  /**
   * Runs the tool as a task for clients that support the Tasks extension. Add `tasks()` from `tenon/tasks` to the
   * server. In a task, `deadlineMs` does not apply to the handler.
   */
  readonly task?: TaskMode | NoInfer<ToolTaskOptions<ToolArgs<In>, Context>> | undefined;
  readonly handler: NoInfer<(args: ToolArgs<In>, call: Call<Context>) => MaybePromise<ToolReturn<Out>>>;
}

/** Validated arguments that a tool handler receives. */
export type ToolArgs<In> = In extends Schema ? OutputOf<In> : Record<string, never>;

/** Arguments that a client sends, before validation. */
export type ToolInput<In> = In extends Schema ? InputOf<In> : Record<string, never>;

/** Return value of a tool handler: a full result, or a value that matches the output schema. */
export type ToolReturn<Out> = ToolResult | (Out extends Schema ? InputOf<Out> : PlainReturn);

/**
 * Return value of a tool without an output schema. It is converted to content blocks. The chunks of an async iterable
 * are joined, and sent as progress to clients that requested it.
 */
export type PlainReturn =
  | Literal
  | (string & {})
  | (number & {})
  | boolean
  | null
  | object
  | ContentBlock
  | readonly ContentBlock[]
  | AsyncIterable<string | ContentBlock>
  | void;

/** Preserves literal types in return values: `"C"` is not widened to `string`, so it matches an enum in `output`. */
type Literal = "" | 0 | { readonly [key: string]: Literal } | readonly Literal[];

/** Compiled tool. */
export interface ToolEntry extends Runnable {
  readonly definition: McpToolDefinition;
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  readonly headerRules: readonly HeaderRule[];
  /** True if the output is not an object. Clients in the legacy eras receive it as `{ result: … }`. */
  readonly wrapsOutput: boolean;
  readonly validationErrors: ValidationErrors;
  /** Validates the arguments of a call. */
  readonly check: (args: JsonObject) => MaybePromise<CheckResult>;
  /** Runs the handler on checked arguments. A plain string is serialized later without creating a result object. */
  readonly run: (checked: ValidatedCall, call: Call) => MaybePromise<ToolResult | string>;
  /** Returns false until the handler of a declared tool is attached. */
  readonly isReady: () => boolean;
  /** Returns the `task` option for a call. Undefined if the tool never runs as a task. */
  readonly taskOf: TaskLookup | undefined;
  /** Prepares a task, inside the server's middleware. Returns the result of a middleware that did not continue. */
  readonly prepare: Preparer;
  /** Returns the entry's actions. Undefined unless the entry belongs to a grouped tool. */
  readonly outline: (() => ToolOutline) | undefined;
  /** Access to the entry's actions. Undefined unless some of them require scopes that others do not. */
  readonly restricted: RestrictedParts | undefined;
}

/** Actions of one entry that require different scopes. */
export interface RestrictedParts {
  /** Scopes that at least one action requires. */
  readonly scopes: readonly string[];
  /** Returns the entry with the actions that the caller may use, or `undefined` if there are none. */
  readonly select: (auth: Pick<Auth, "scopes">) => ToolEntry | undefined;
  /** Returns the action that a call selects if the caller may not use it. */
  readonly findDenied: (args: JsonObject, auth: Pick<Auth, "scopes">) => DeniedPart | undefined;
  /** Returns the scopes of the action that a call selects. */
  readonly scopesOf: (args: JsonObject) => readonly string[];
}

/** Action that a caller may not use. */
export interface DeniedPart {
  /** Name for error messages, such as `Action "ban" of tool "users"`. */
  readonly label: string;
  readonly scopes: readonly string[];
}

/** Grouped tool actions that one entry represents: all of them, or only one if the tool is exposed flat. */
export interface ToolOutline {
  /** Name of the grouped tool. */
  readonly tool: string;
  readonly description?: string | undefined;
  readonly actions: readonly OutlinedAction[];
}

/** Grouped tool action, described as if it were a separate tool. */
export interface OutlinedAction {
  /** Action name, without the tool or group name. */
  readonly name: string;
  readonly group?: { readonly name: string; readonly description?: string | undefined } | undefined;
  readonly definition: McpToolDefinition;
  /** Tool name and fixed arguments that select this action in a call. */
  readonly call: { readonly name: string; readonly arguments: JsonObject };
  /** Scopes that the action requires, if any. */
  readonly scopes?: readonly string[];
}

/** Server settings that entries are compiled with. A change creates a new object, which invalidates cached entries. */
export interface CompileSettings {
  readonly layers: readonly Middleware[];
  readonly jsonSchema: JsonSchemaCompiler | undefined;
  readonly validationErrors: ValidationErrors | undefined;
  readonly deadlineMs: number | undefined;
}

/** Tool before it is compiled. Grouped tools, modules, and JSON definitions are all converted to drafts. */
export interface ToolDraft {
  readonly name: string;
  /**
   * True if it is already known that `compile` does not fail, and that the tool does not have a `task` option. A server
   * on demand then compiles the tool on first use.
   */
  readonly isChecked?: boolean;
  compile(settings: CompileSettings): ToolEntry;
}

/** Listing of grouped tools: one tool per group, or one tool per action. */
export type Exposition = "grouped" | "flat";

/** Object that provides tools for `.tools()`, such as a grouped tool. */
export interface ToolSource {
  /** Returns one draft per listed tool. */
  toolDrafts(options?: { readonly expose?: Exposition | undefined }): readonly ToolDraft[];
}

/** Creates a draft for a tool that is defined in code. @throws if an option is unknown or the handler is missing */
export function draftTool<Context, In extends Schema | undefined, Out extends Schema | undefined>(
  name: string,
  spec: ToolSpec<Context, In, Out>,
): ToolDraft {
  const label = `Tool "${name}"`;
  if (typeof name === "string") assertOptions(TOOL_OPTIONS, spec, label);
  const task = toToolTask(label, spec.task);
  return {
    name,
    compile(settings) {
      const { title, description, annotations, icons, _meta, handler } = spec;
      const compile = (side: "input" | "output", schema: Schema | undefined) =>
        schema &&
        compileSchema(schema, {
          label: `${label}: the ${side} schema`,
          side,
          jsonSchema: settings.jsonSchema,
        });
      const input = compile("input", spec.input);
      const output = compile("output", spec.output);
      return createToolEntry(settings, {
        definition: withoutUndefined({
          name,
          title,
          description,
          inputSchema: input?.jsonSchema ?? NO_INPUT,
          outputSchema: output?.jsonSchema,
          annotations,
          icons,
          _meta,
        }),
        check: input?.check ?? ignoreArguments,
        output,
        // Safe: the arguments were validated against the schema of `ToolArgs`, and the context belongs to this server.
        handler: (args, call) => handler(args as ToolArgs<In>, call as Call<Context>),
        validationErrors: settings.validationErrors ?? "result",
        taskOf: task && (() => task),
        tags: spec.tags ?? [],
        scopes: spec.scopes ?? [],
        deadlineMs: spec.deadlineMs ?? settings.deadlineMs,
      });
    },
  };
}

/** Definition, check, and handler from which a tool entry is created. */
export interface ToolParts {
  readonly definition: McpToolDefinition;
  /** True if the definition is deeply frozen, so that it need not be copied. */
  readonly isFrozen?: boolean;
  /** True if the input schema is certainly an object schema without header rules. It is then read on first use. */
  readonly isPlainInput?: boolean;
  readonly check: ToolEntry["check"];
  readonly output?: CompiledSchema | undefined;
  /** @param checked the result of `check`: the arguments as `value`, plus any data that the check added */
  readonly handler: (args: unknown, call: Call, checked: ValidatedCall) => unknown;
  readonly isReady?: () => boolean;
  readonly taskOf?: ToolEntry["taskOf"];
  readonly outline?: () => ToolOutline;
  readonly validationErrors: ValidationErrors;
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  readonly deadlineMs: number | undefined;
}

/** Creates a tool entry and composes the server's middleware around its handler. */
export function createToolEntry(settings: CompileSettings, parts: ToolParts): ToolEntry {
  const { definition, output, handler } = parts;
  const { name } = definition;
  const label = `Tool "${name}"`;
  if (parts.isPlainInput !== true && !isObjectSchema(definition.inputSchema)) {
    const got = schemaKindOf(definition.inputSchema);
    throw new Error(
      `${label}: the input schema must be an object schema; got ${got}. Wrap it in z.object({ … }).`,
    );
  }
  const headers = headerRulesOf(parts);
  if (!headers.ok)
    throw new Error(`${label}: the input schema is invalid at "${headers.path}". ${headers.reason}`);
  const { layers } = settings;
  // Middleware expects result objects. Without middleware and an output schema, strings are passed through.
  const keepsText = output === undefined && layers.length === 0;
  const settle = (value: unknown, call: Call): MaybePromise<ToolResult | string> => {
    if (typeof value === "string" && keepsText) return value;
    if (value instanceof McpError) throw value;
    if (output !== undefined) return validateOutput(label, output, value);
    return toResult(value, call, label);
  };
  const settleLate = async (value: Promise<unknown>, call: Call) => settle(await value, call);
  const runHandler = (checked: ValidatedCall, call: Call): MaybePromise<ToolResult | string> => {
    const value = handler(checked.value, call, checked);
    return isPromise(value) ? settleLate(value, call) : settle(value, call);
  };
  return {
    name,
    definition: parts.isFrozen === true ? definition : frozenCopy(definition),
    tags: frozenCopy(parts.tags),
    scopes: frozenCopy(parts.scopes),
    headerRules: headers.rules,
    wrapsOutput: definition.outputSchema !== undefined && !isObjectSchema(definition.outputSchema),
    validationErrors: parts.validationErrors,
    deadlineMs: parts.deadlineMs,
    check: parts.check,
    run: layered(
      layers,
      { kind: "tool", name, shown: valueOf, annotations: definition.annotations },
      withPrepare(parts.taskOf, runHandler),
    ),
    prepare: createPrepare(name, layers, parts.taskOf),
    isReady: parts.isReady ?? (() => true),
    taskOf: parts.taskOf,
    outline: parts.outline,
    restricted: undefined,
  };
}

/** Header rules of frozen schemas, which servers may share. */
const headerRules = /* @__PURE__ */ new WeakMap<JsonObject, HeaderRules>();

function headerRulesOf({ definition, isFrozen = false, isPlainInput = false }: ToolParts): HeaderRules {
  if (isPlainInput) return NO_HEADER_RULES;
  const { inputSchema } = definition;
  const known = isFrozen ? headerRules.get(inputSchema) : undefined;
  if (known !== undefined) return known;
  const rules = compileHeaderRules(inputSchema);
  if (isFrozen) headerRules.set(inputSchema, rules);
  return rules;
}

const NO_HEADER_RULES: HeaderRules = { ok: true, rules: [] };

function valueOf({ value }: ValidatedCall): unknown {
  return value;
}

const NO_INPUT: JsonObject = { type: "object", properties: {} };

/** Drops all arguments, because a tool without an input schema does not declare any. */
function ignoreArguments(): CheckResult {
  return { value: {} };
}

function validateOutput(label: string, output: CompiledSchema, value: unknown): MaybePromise<ToolResult> {
  const full = isToolResult(value) ? value : undefined;
  if (full?.isError === true) return full;
  if (full !== undefined && full.structuredContent === undefined) {
    throw new OutputError(
      `${label}: the handler returned a result without \`structuredContent\`, which the output schema ` +
        "requires. Add it, or return only the output value.",
    );
  }
  return andThen(output.check(full === undefined ? value : full.structuredContent), (checked) => {
    if (checked.issues !== undefined) {
      throw describeWrongOutput(label, value, checked.issues);
    }
    return full === undefined
      ? toStructuredResult(checked.value, label)
      : { ...full, structuredContent: checked.value };
  });
}

function describeWrongOutput(label: string, value: unknown, issues: readonly Issue[]): OutputError {
  return isStream(value)
    ? new OutputError(
        `${label}: the handler returned ${kindOf(value)}, but the tool has an output schema. ` +
          "Return the output value, or remove `output` to stream text.",
      )
    : new OutputError(`${label}: the output does not match the output schema: ${describeIssues(issues)}`);
}

/** Reads a call's arguments. Returns `{}` if they are absent, and `undefined` if the value is not an object. */
export function readArguments(value: unknown): JsonObject | undefined {
  if (value === undefined || value === null) return {};
  return isJsonObject(value) ? value : undefined;
}
