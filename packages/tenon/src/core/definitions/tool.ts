/**
 * @fileoverview Tools: what a developer writes, and the one internal entry that every way of writing becomes.
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

/** How failed arguments are told: as a JSON-RPC error, or as a result that the model can act on. */
export type ValidationErrors = "protocol" | "result";

/** A tool in code. */
export interface ToolSpec<Context, In extends Schema | undefined, Out extends Schema | undefined> {
  /** For people. */
  readonly title?: string;
  /** For the model: what it does, when to use it, what it needs. */
  readonly description?: string;
  /** What it takes; nothing where absent. */
  readonly input?: In;
  /** What it gives, sent as structured content. */
  readonly output?: Out;
  readonly annotations?: ToolHints;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  /** For views of the server that show some tools only. */
  readonly tags?: readonly string[];
  /** What a principal must hold to see and call it. */
  readonly scopes?: readonly string[];
  /** Longest run in milliseconds; then the call fails and its signal aborts. */
  readonly deadlineMs?: number;
  readonly handler: NoInfer<(args: ToolArgs<In>, call: Call<Context>) => MaybePromise<ToolReturn<Out>>>;
}

/** What a handler gets. */
export type ToolArgs<In> = In extends Schema ? OutputOf<In> : Record<string, never>;

/** What a caller gives. */
export type ToolInput<In> = In extends Schema ? InputOf<In> : Record<string, never>;

/** What a handler may return. */
export type ToolReturn<Out> = ToolResult | (Out extends Schema ? InputOf<Out> : PlainReturn);

/** A value that becomes content by itself. */
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

/** Says nothing new, but keeps the literals in what a handler returns: `"C"` stays `"C"`, for an enum in `output`. */
type Literal = "" | 0 | { readonly [key: string]: Literal } | readonly Literal[];

/** A tool compiled: frozen definition, check, one function. */
export interface ToolEntry extends Runnable {
  readonly definition: McpToolDefinition;
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  readonly headerRules: readonly HeaderRule[];
  /** Whether the output is no object, which the legacy eras carry as `{ result: … }`. */
  readonly wrapsOutput: boolean;
  readonly validationErrors: ValidationErrors;
  readonly check: (args: JsonObject) => MaybePromise<CheckResult>;
  /** Takes what `check` gave. Gives the result, or plain text, which is written without ever being one. */
  readonly run: (checked: ValidatedCall, call: Call) => MaybePromise<ToolResult | string>;
  /** False while a tool that was declared as data has no handler. */
  readonly isReady: () => boolean;
  /** What a grouped tool is made of, or was taken from, for those who list it. */
  readonly outline: (() => ToolOutline) | undefined;
}

/** The operations of a grouped tool that one entry stands for: all of them, or one where it is exposed flat. */
export interface ToolOutline {
  /** The name of the grouped tool. */
  readonly tool: string;
  readonly description?: string | undefined;
  readonly actions: readonly OutlinedAction[];
}

/** One operation of a grouped tool, as a tool of its own. */
export interface OutlinedAction {
  /** Its own name, without that of the tool or group. */
  readonly name: string;
  readonly group?: { readonly name: string; readonly description?: string | undefined } | undefined;
  readonly definition: McpToolDefinition;
  /** How it is called, besides its own arguments. */
  readonly call: { readonly name: string; readonly arguments: JsonObject };
}

/** What compiling a tool needs of its server. Replaced as a whole, so that entries can be kept by it. */
export interface CompileSettings {
  readonly layers: readonly Middleware[];
  readonly jsonSchema: JsonSchemaCompiler | undefined;
  readonly validationErrors: ValidationErrors | undefined;
  readonly deadlineMs: number | undefined;
}

/** A tool that is not compiled yet. Grouped tools, modules and definitions become this too. */
export interface ToolDraft {
  readonly name: string;
  compile(settings: CompileSettings): ToolEntry;
}

/** How tools of several actions are shown: each as one tool, or every action as a tool of its own. */
export type Exposition = "grouped" | "flat";

/** Anything that can be added with `.tools()`. */
export interface ToolSource {
  toolDrafts(options?: { readonly expose?: Exposition | undefined }): readonly ToolDraft[];
}

/** A draft of a tool in code. */
export function draftTool<Context, In extends Schema | undefined, Out extends Schema | undefined>(
  name: string,
  spec: ToolSpec<Context, In, Out>,
): ToolDraft {
  return {
    name,
    compile(settings) {
      const label = `Tool "${name}"`;
      if (typeof spec.handler !== "function") throw new Error(`${label} needs a handler`);
      const { jsonSchema } = settings;
      const input =
        spec.input &&
        compileSchema(spec.input, {
          label: `${label} input`,
          side: "input",
          jsonSchema,
        });
      const output =
        spec.output &&
        compileSchema(spec.output, {
          label: `${label} output`,
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
        // The schema that `ToolArgs` comes from has accepted the arguments; the context is the server's own.
        handler: (args, call) => handler(args as ToolArgs<In>, call as Call<Context>),
        validationErrors: settings.validationErrors ?? "result",
        tags: spec.tags ?? [],
        scopes: spec.scopes ?? [],
        deadlineMs: spec.deadlineMs ?? settings.deadlineMs,
      });
    },
  };
}

/** What an entry is made of. */
export interface ToolParts {
  readonly definition: McpToolDefinition;
  readonly check: ToolEntry["check"];
  readonly output?: CompiledSchema | undefined;
  /** @param checked what `check` gave: the arguments as its `value`, and whatever else it found out */
  readonly handler: (args: unknown, call: Call, checked: ValidatedCall) => unknown;
  readonly isReady?: () => boolean;
  readonly outline?: () => ToolOutline;
  readonly validationErrors: ValidationErrors;
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  readonly deadlineMs: number | undefined;
}

/** Puts an entry together and folds the server's middleware around its handler. */
export function createToolEntry(settings: CompileSettings, parts: ToolParts): ToolEntry {
  const { definition, output, handler } = parts;
  const { name } = definition;
  const label = `Tool "${name}"`;
  if (!isObjectSchema(definition.inputSchema)) {
    throw new Error(`${label} input must be a schema of type "object"`);
  }
  const headers = compileHeaderRules(definition.inputSchema);
  if (!headers.ok) throw new Error(`${label} input at ${headers.path}: ${headers.reason}`);
  const { layers } = settings;
  const toOutcome =
    output === undefined ? toToolResult : (value: unknown) => validateOutput(name, output, value);
  // Middleware sees results; where there is none, text stays text.
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

/** Without a schema nothing is declared, so nothing gets through. */
function ignoreArguments(): CheckResult {
  return { value: {} };
}

function validateOutput(name: string, output: CompiledSchema, value: unknown): MaybePromise<ToolResult> {
  const full = isToolResult(value) ? value : undefined;
  if (full?.isError === true) return full;
  if (full !== undefined && full.structuredContent === undefined) {
    throw new OutputError(`Tool "${name}" returned a result without structured content`);
  }
  return andThen(output.check(full === undefined ? value : full.structuredContent), (checked) => {
    if (checked.issues !== undefined) {
      throw new OutputError(
        `Tool "${name}" returned a value its output schema refuses: ${describeIssues(checked.issues)}`,
      );
    }
    return full === undefined
      ? toStructuredResult(checked.value)
      : { ...full, structuredContent: checked.value };
  });
}

/** Narrows the arguments of a call; absent ones are none. */
export function readArguments(value: unknown): JsonObject | undefined {
  if (value === undefined || value === null) return {};
  return isJsonObject(value) ? value : undefined;
}
