/**
 * @fileoverview Tool definitions and their compiled entries. Every kind of tool compiles to the same entry type.
 * @module core/tool
 */
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import {
  compileHeaderRules,
  type ContentBlock,
  type HeaderRule,
  type Icon,
  McpError,
  type McpToolDefinition,
  type ToolHints,
  type ToolResult,
} from "../../protocol/index.js";
import { isObjectSchema } from "../../protocol/revisions/project-definitions.js";
import { compileSchema } from "../../schema/compile.js";
import { describeIssues } from "../../schema/issues.js";
import type {
  CheckResult,
  CompiledSchema,
  InputOf,
  JsonSchemaCompiler,
  OutputOf,
  ValidatedCall,
  Schema,
} from "../../schema/schema.js";
import type { Call } from "../call/call.js";
import { layered, type Middleware } from "../call/middleware.js";
import type { Runnable } from "../call/operation.js";
import { OutputError } from "./tool-errors.js";
import { isToolResult, toStructuredResult, toToolResult } from "./tool-result.js";

/** Form in which invalid arguments are reported: as a JSON-RPC error or as a result that the model sees. */
export type ValidationErrors = "protocol" | "result";

/** Tool definition. */
export interface ToolSpec<Context, In extends Schema | undefined, Out extends Schema | undefined> {
  /** Display name for users. */
  readonly title?: string;
  /** Description for the model: purpose, use cases and requirements. */
  readonly description?: string;
  /** Schema of the arguments. Without it, the tool takes none. */
  readonly input?: In;
  /** Schema of the output, which is sent as structured content. */
  readonly output?: Out;
  readonly annotations?: ToolHints;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  /** Tags for filtered views of the server. */
  readonly tags?: readonly string[];
  /** Scopes that a principal needs to list and call the tool. */
  readonly scopes?: readonly string[];
  /** Timeout in milliseconds. When it expires, the call fails and its signal aborts. */
  readonly deadlineMs?: number;
  readonly handler: NoInfer<(args: ToolArgs<In>, call: Call<Context>) => MaybePromise<ToolReturn<Out>>>;
}

/** Arguments that the handler receives. */
export type ToolArgs<In> = In extends Schema ? OutputOf<In> : Record<string, never>;

/** Arguments that the client sends. */
export type ToolInput<In> = In extends Schema ? InputOf<In> : Record<string, never>;

/** Return value of a handler. */
export type ToolReturn<Out> = ToolResult | (Out extends Schema ? InputOf<Out> : PlainReturn);

/** Return value that is converted to content. */
export type PlainReturn =
  | Literal
  | (string & {})
  | (number & {})
  | boolean
  | null
  | object
  | ContentBlock
  | readonly ContentBlock[]
  | void;

/** Keeps literal types in a handler's return value: `"C"` stays `"C"`, so that it matches an enum in `output`. */
type Literal = "" | 0 | { readonly [key: string]: Literal } | readonly Literal[];

/** Compiled tool. */
export interface ToolEntry extends Runnable {
  readonly definition: McpToolDefinition;
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  readonly headerRules: readonly HeaderRule[];
  /** True if the output is not an object. Legacy eras receive it as `{ result: … }`. */
  readonly wrapsOutput: boolean;
  readonly validationErrors: ValidationErrors;
  readonly check: (args: JsonObject) => MaybePromise<CheckResult>;
  /** Runs the handler with the value of `check`. Plain text is serialized without creating a result object. */
  readonly run: (checked: ValidatedCall, call: Call) => MaybePromise<ToolResult | string>;
  /** Returns false while a tool that was declared as data has no handler. */
  readonly isReady: () => boolean;
  /** Returns the actions of a grouped tool. */
  readonly outline: (() => ToolOutline) | undefined;
}

/** Actions of a grouped tool that one entry represents: all of them, or one if the tool is exposed flat. */
export interface ToolOutline {
  /** Name of the grouped tool. */
  readonly tool: string;
  readonly description?: string | undefined;
  readonly actions: readonly OutlinedAction[];
}

/** Action of a grouped tool, described as a separate tool. */
export interface OutlinedAction {
  /** Name without the tool or group. */
  readonly name: string;
  readonly group?: { readonly name: string; readonly description?: string | undefined } | undefined;
  readonly definition: McpToolDefinition;
  /** Tool name and fixed arguments to call it with. */
  readonly call: { readonly name: string; readonly arguments: JsonObject };
}

/** Server settings for compilation. The object is replaced as a whole, so its identity is the key of cached entries. */
export interface CompileSettings {
  readonly layers: readonly Middleware[];
  readonly jsonSchema: JsonSchemaCompiler | undefined;
  readonly validationErrors: ValidationErrors | undefined;
  readonly deadlineMs: number | undefined;
}

/** Tool before it is compiled. Grouped tools, modules and JSON definitions are converted to drafts. */
export interface ToolDraft {
  readonly name: string;
  compile(settings: CompileSettings): ToolEntry;
}

/** Listing of grouped tools: one tool per group, or one tool per action. */
export type Exposition = "grouped" | "flat";

/** Object that can be added with `.tools()`. */
export interface ToolSource {
  toolDrafts(options?: { readonly expose?: Exposition | undefined }): readonly ToolDraft[];
}

/** Creates the draft of a tool. */
export function draftTool<Context, In extends Schema | undefined, Out extends Schema | undefined>(
  name: string,
  spec: ToolSpec<Context, In, Out>,
): ToolDraft {
  return {
    name,
    compile(settings) {
      const label = `Tool "${name}"`;
      if (typeof spec.handler !== "function") {
        throw new Error(`${label}: \`handler\` must be a function; got ${typeof spec.handler}.`);
      }
      const { jsonSchema } = settings;
      const input =
        spec.input &&
        compileSchema(spec.input, {
          label: `${label}: the input schema`,
          side: "input",
          jsonSchema,
        });
      const output =
        spec.output &&
        compileSchema(spec.output, {
          label: `${label}: the output schema`,
          side: "output",
          jsonSchema,
        });
      const { title, description, annotations, icons, _meta, handler } = spec;
      return createToolEntry(settings, {
        definition: {
          name,
          ...(title === undefined ? {} : { title }),
          ...(description === undefined ? {} : { description }),
          inputSchema: input?.jsonSchema ?? NO_INPUT,
          ...(output === undefined ? {} : { outputSchema: output.jsonSchema }),
          ...(annotations === undefined ? {} : { annotations }),
          ...(icons === undefined ? {} : { icons }),
          ...(_meta === undefined ? {} : { _meta }),
        },
        check: input?.check ?? ignoreArguments,
        output,
        // The schema behind `ToolArgs` has accepted the arguments, and the context belongs to this server.
        handler: (args, call) => handler(args as ToolArgs<In>, call as Call<Context>),
        validationErrors: settings.validationErrors ?? "result",
        tags: spec.tags ?? [],
        scopes: spec.scopes ?? [],
        deadlineMs: spec.deadlineMs ?? settings.deadlineMs,
      });
    },
  };
}

/** Parts of a tool entry. */
export interface ToolParts {
  readonly definition: McpToolDefinition;
  readonly check: ToolEntry["check"];
  readonly output?: CompiledSchema | undefined;
  /** @param checked the result of `check`: the arguments as `value`, and any other data that the check added */
  readonly handler: (args: unknown, call: Call, checked: ValidatedCall) => unknown;
  readonly isReady?: () => boolean;
  readonly outline?: () => ToolOutline;
  readonly validationErrors: ValidationErrors;
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  readonly deadlineMs: number | undefined;
}

/** Creates a tool entry and folds the server's middleware around its handler. */
export function createToolEntry(settings: CompileSettings, parts: ToolParts): ToolEntry {
  const { definition, output, handler } = parts;
  const { name } = definition;
  const label = `Tool "${name}"`;
  if (!isObjectSchema(definition.inputSchema)) {
    const { type } = definition.inputSchema;
    const got = typeof type === "string" ? `a schema of type "${type}"` : "a schema without a single type";
    throw new Error(
      `${label}: the input schema must be an object schema; got ${got}. Wrap it in z.object({ … }).`,
    );
  }
  const headers = compileHeaderRules(definition.inputSchema);
  if (!headers.ok)
    throw new Error(`${label}: the input schema is invalid at "${headers.path}". ${headers.reason}`);
  const { layers } = settings;
  const toOutcome =
    output === undefined ? toToolResult : (value: unknown) => validateOutput(name, output, value);
  // Middleware expects result objects. Without middleware and output schema, text is passed through.
  const keepsText = output === undefined && layers.length === 0;
  const settle = (value: unknown): MaybePromise<ToolResult | string> => {
    if (typeof value === "string" && keepsText) return value;
    if (value instanceof McpError) throw value;
    return toOutcome(value);
  };
  const runHandler = (checked: ValidatedCall, call: Call): MaybePromise<ToolResult | string> =>
    andThen(handler(checked.value, call, checked), settle);
  return {
    name,
    definition: frozenCopy(definition),
    tags: frozenCopy(parts.tags),
    scopes: frozenCopy(parts.scopes),
    headerRules: headers.rules,
    wrapsOutput: definition.outputSchema !== undefined && !isObjectSchema(definition.outputSchema),
    validationErrors: parts.validationErrors,
    deadlineMs: parts.deadlineMs,
    check: parts.check,
    run: layered(layers, { kind: "tool", name, shown: valueOf }, runHandler),
    isReady: parts.isReady ?? (() => true),
    outline: parts.outline,
  };
}

function valueOf({ value }: ValidatedCall): unknown {
  return value;
}

const NO_INPUT: JsonObject = { type: "object", properties: {} };

/** Drops all arguments: a tool without an input schema declares none. */
function ignoreArguments(): CheckResult {
  return { value: {} };
}

function validateOutput(name: string, output: CompiledSchema, value: unknown): MaybePromise<ToolResult> {
  const full = isToolResult(value) ? value : undefined;
  if (full?.isError === true) return full;
  if (full !== undefined && full.structuredContent === undefined) {
    throw new OutputError(
      `Tool "${name}": the handler returned a result without \`structuredContent\`, which the output schema requires.`,
    );
  }
  return andThen(output.check(full === undefined ? value : full.structuredContent), (checked) => {
    if (checked.issues !== undefined) {
      throw new OutputError(
        `Tool "${name}": the output does not match the output schema: ${describeIssues(checked.issues)}`,
      );
    }
    return full === undefined
      ? toStructuredResult(checked.value)
      : { ...full, structuredContent: checked.value };
  });
}

/** Reads the arguments of a call. Absent arguments are `{}`; a value that is not an object is `undefined`. */
export function readArguments(value: unknown): JsonObject | undefined {
  if (value === undefined || value === null) return {};
  return isJsonObject(value) ? value : undefined;
}
