/**
 * @fileoverview Prompt definitions and their compiled entries.
 * @module tenon/core/definitions/prompt
 */
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { isJsonObject, type JsonObject, withoutUndefined } from "@tenon/internal/json";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import {
  McpError,
  type McpPromptArgumentDefinition,
  type PromptMessage,
  type PromptResult,
} from "../../protocol/index.js";
import type { McpPromptDefinition } from "../../protocol/definitions.js";
import { compileSchema } from "../../schema/compile.js";
import type { CheckResult, Issue, OutputOf, StandardSchema } from "../../schema/schema.js";
import type { Call } from "../call/call.js";
import type { Completers } from "./completion.js";
import { layered } from "../call/middleware.js";
import type { Runnable } from "../call/operation.js";
import { kindOf, schemaKindOf } from "@tenon/internal/kind-of";
import { assertOptions, defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom } from "@tenon/internal/options/option-rows";
import {
  assertCompleters,
  assertTextArgument,
  COMMON_OPTIONS,
  DEFINITION,
  HANDLER_ALIASES,
} from "./definition-checks.js";
import type { CompileSettings } from "./tool.js";

/** Prompt arguments: an object schema with string fields, or a list of argument definitions. */
export type PromptArguments = StandardSchema | readonly McpPromptArgumentDefinition[];

const PROMPT_OPTIONS = /* @__PURE__ */ defineOptions(
  "prompt",
  {
    ...COMMON_OPTIONS.rows,
    /** Schema of the arguments. Clients send them as text. */
    arguments: custom<unknown>({
      aliases: [
        "args",
        "argsSchema",
        "argumentsSchema",
        "input",
        "inputSchema",
        "parameters",
        "params",
        "schema",
      ],
    }),
    /** Functions that complete arguments, by name. */
    complete: custom<object>({ aliases: ["completers", "completions"] }),
    /** Function that returns the messages of the prompt. */
    handler: callback<unknown>({ required: true, aliases: [...HANDLER_ALIASES, "get", "load"] }),
  },
  DEFINITION,
);

/** Prompt definition for `.prompt()`. */
export interface PromptSpec<Context, Args extends PromptArguments | undefined> extends OptionsOf<
  typeof PROMPT_OPTIONS
> {
  /** Arguments that the prompt accepts. If omitted, the prompt takes no arguments. */
  readonly arguments?: Args;
  /** Completers by argument name. */
  readonly complete?: Completers<keyof PromptArgs<Args> & string> | undefined;
  readonly handler: (args: PromptArgs<Args>, call: Call<Context>) => MaybePromise<PromptReturn>;
}

/** Validated arguments that a prompt handler receives. */
export type PromptArgs<Args> = Args extends StandardSchema
  ? OutputOf<Args>
  : Args extends readonly McpPromptArgumentDefinition[]
    ? {
        readonly [
          One in Args[number] as One extends { readonly required: true } ? One["name"] : never
        ]: string;
      } & {
        readonly [
          One in Args[number] as One extends { readonly required: true } ? never : One["name"]
        ]?: string;
      }
    : Record<string, never>;

/** Return value of a prompt handler: the text of one user message, a list of messages, or a full result. */
export type PromptReturn = string | readonly PromptMessage[] | PromptResult;

/** Compiled prompt. */
export interface PromptEntry extends Runnable {
  readonly definition: McpPromptDefinition;
  readonly scopes: readonly string[];
  readonly complete: Completers<string>;
  readonly check: (args: JsonObject) => MaybePromise<CheckResult>;
  readonly run: (args: unknown, call: Call) => MaybePromise<PromptResult>;
}

/** Prompt before it is compiled. */
export interface PromptDraft {
  readonly name: string;
  compile(settings: CompileSettings): PromptEntry;
}

/** Creates a draft for a prompt. @throws if an option is unknown or the handler is missing */
export function draftPrompt<Context, Args extends PromptArguments | undefined>(
  name: string,
  spec: PromptSpec<Context, Args>,
): PromptDraft {
  const label = `Prompt "${name}"`;
  assertOptions(PROMPT_OPTIONS, spec, label);
  const { arguments: declared, scopes, complete, deadlineMs, handler, ...described } = spec;
  assertCompleters(label, complete);
  return {
    name,
    compile(settings) {
      const { list, check } = compileArguments(name, declared);
      const unknown = Object.keys(complete ?? {}).find(
        (key) => !list.some((argument) => argument.name === key),
      );
      if (unknown !== undefined)
        throw new Error(
          `${label}: \`complete\` contains "${unknown}", but the prompt does not declare that argument.`,
        );
      return createPromptEntry(settings, {
        definition: withoutUndefined({ name, ...described, arguments: list.length > 0 ? list : undefined }),
        check,
        // Safe: the arguments were validated against the schema of `PromptArgs`, and the context belongs to this
        // server.
        handler: (args, call) => handler(args as PromptArgs<Args>, call as Call<Context>),
        scopes,
        complete,
        deadlineMs,
      });
    },
  };
}

/** Definition, check, and handler from which a prompt entry is created. */
export interface PromptParts {
  readonly definition: McpPromptDefinition;
  readonly check: PromptEntry["check"];
  /** @param args the `value` that `check` returned */
  readonly handler: (args: unknown, call: Call) => MaybePromise<PromptReturn>;
  readonly scopes?: readonly string[] | undefined;
  readonly complete?: Completers<string> | undefined;
  readonly deadlineMs?: number | undefined;
}

/** Creates a prompt entry and composes the server's middleware around its handler. */
export function createPromptEntry(settings: CompileSettings, parts: PromptParts): PromptEntry {
  const { definition, check, handler } = parts;
  const { name } = definition;
  const settle = (value: PromptReturn) => toPromptResult(name, value);
  const run = (args: unknown, call: Call): MaybePromise<PromptResult> => andThen(handler(args, call), settle);
  return {
    name,
    definition: frozenCopy(definition),
    scopes: parts.scopes ?? [],
    complete: parts.complete ?? {},
    deadlineMs: parts.deadlineMs ?? settings.deadlineMs,
    check,
    run: layered(settings.layers, { kind: "prompt", name }, run),
  };
}

interface CompiledArguments {
  readonly list: readonly McpPromptArgumentDefinition[];
  readonly check: PromptEntry["check"];
}

function compileArguments(name: string, declared: PromptArguments | undefined): CompiledArguments {
  if (declared === undefined) return { list: [], check: () => ({ value: {} }) };
  if (isArgumentList(declared)) return { list: declared, check: (args) => checkList(declared, args) };
  const { jsonSchema, check } = compileSchema(declared, {
    label: `Prompt "${name}": the arguments schema`,
    side: "input",
  });
  const { properties, required } = jsonSchema;
  if (!isJsonObject(properties)) {
    throw new Error(
      `Prompt "${name}": the arguments schema must be an object schema; got ${schemaKindOf(jsonSchema)}. ` +
        "Wrap it in z.object({ … }).",
    );
  }
  for (const [key, json] of Object.entries(properties)) {
    assertTextArgument(`Prompt "${name}"`, { name: key, json, schema: declared });
  }
  const isRequired = (key: string) => Array.isArray(required) && required.includes(key);
  return {
    list: Object.entries(properties).map(([key, field]) => toArgument(key, field, isRequired(key))),
    check,
  };
}

function isArgumentList(declared: PromptArguments): declared is readonly McpPromptArgumentDefinition[] {
  return Array.isArray(declared);
}

function toArgument(name: string, field: unknown, required: boolean): McpPromptArgumentDefinition {
  const { title, description } = isJsonObject(field) ? field : {};
  return {
    name,
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof description === "string" ? { description } : {}),
    required,
  };
}

function checkList(list: readonly McpPromptArgumentDefinition[], args: JsonObject): CheckResult {
  const issues: Issue[] = [];
  const values: [string, unknown][] = [];
  for (const { name, required } of list) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined && required === true) issues.push({ path: [name], message: "is required" });
    else if (value !== undefined && typeof value !== "string")
      issues.push({ path: [name], message: "must be a string" });
    else if (value !== undefined) values.push([name, value]);
  }
  return issues.length > 0 ? { issues } : { value: Object.fromEntries(values) };
}

function toPromptResult(name: string, value: PromptReturn): PromptResult {
  if (value instanceof McpError) throw value;
  if (typeof value === "string")
    return {
      messages: [{ role: "user", content: { type: "text", text: value } }],
    };
  if (isMessageList(value)) return { messages: value };
  if (isJsonObject(value) && Array.isArray(value["messages"])) return value;
  throw new TypeError(
    `Prompt "${name}": the handler must return a string, an array of messages, or a prompt result; ` +
      `got ${kindOf(value)}.`,
  );
}

function isMessageList(value: PromptReturn): value is readonly PromptMessage[] {
  return Array.isArray(value);
}
