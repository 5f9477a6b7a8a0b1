/**
 * @fileoverview Prompts: what a developer writes, and the entry it becomes.
 * @module core/prompt
 */
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { andThen, type MaybePromise } from "@tenon/internal/maybe-promise";
import {
  type Icon,
  McpError,
  type McpPromptArgumentDefinition,
  type McpPromptDefinition,
  type PromptMessage,
  type PromptResult,
} from "../../protocol/index.js";
import { compileSchema } from "../../schema/compile.js";
import type { CheckResult, Issue, OutputOf, StandardSchema } from "../../schema/schema.js";
import type { Call } from "../call/call.js";
import type { Completers } from "./completion.js";
import { layered } from "../call/middleware.js";
import type { Runnable } from "../call/operation.js";
import type { CompileSettings } from "./tool.js";

/** The arguments of a prompt: an object schema of text fields, or a plain list. */
export type PromptArguments = StandardSchema | readonly McpPromptArgumentDefinition[];

/** A prompt in code. */
export interface PromptSpec<Context, Args extends PromptArguments | undefined> {
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: Args;
  readonly icons?: readonly Icon[];
  readonly _meta?: JsonObject;
  /** What a principal must hold to see and use it. */
  readonly scopes?: readonly string[];
  /** Suggestions for the arguments. */
  readonly complete?: Completers<keyof PromptArgs<Args> & string>;
  readonly deadlineMs?: number;
  readonly handler: (args: PromptArgs<Args>, call: Call<Context>) => MaybePromise<PromptReturn>;
}

/** What a handler gets. */
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

/** What a handler may return: the user's text, messages, or a full result. */
export type PromptReturn = string | readonly PromptMessage[] | PromptResult;

/** A prompt compiled. */
export interface PromptEntry extends Runnable {
  readonly definition: McpPromptDefinition;
  readonly scopes: readonly string[];
  readonly complete: Completers<string>;
  readonly check: (args: JsonObject) => MaybePromise<CheckResult>;
  readonly run: (args: unknown, call: Call) => MaybePromise<PromptResult>;
}

/** A prompt that is not compiled yet. */
export interface PromptDraft {
  readonly name: string;
  compile(settings: CompileSettings): PromptEntry;
}

/** A draft of a prompt in code. */
export function draftPrompt<Context, Args extends PromptArguments | undefined>(
  name: string,
  spec: PromptSpec<Context, Args>,
): PromptDraft {
  const { arguments: declared, scopes, complete, deadlineMs, handler, ...described } = spec;
  return {
    name,
    compile(settings) {
      const { list, check } = compileArguments(name, declared);
      const unknown = Object.keys(complete ?? {}).find(
        (key) => !list.some((argument) => argument.name === key),
      );
      if (unknown !== undefined)
        throw new Error(`Prompt "${name}" completes "${unknown}", which it does not take`);
      return createPromptEntry(settings, {
        definition: { name, ...described, ...(list.length > 0 ? { arguments: list } : {}) },
        check,
        // The schema that `PromptArgs` comes from has accepted the arguments; the context is the server's own.
        handler: (args, call) => handler(args as PromptArgs<Args>, call as Call<Context>),
        scopes,
        complete,
        deadlineMs,
      });
    },
  };
}

/** Parts of a prompt entry. */
export interface PromptParts {
  readonly definition: McpPromptDefinition;
  readonly check: PromptEntry["check"];
  /** @param args the value that `check` returned */
  readonly handler: (args: unknown, call: Call) => MaybePromise<PromptReturn>;
  readonly scopes?: readonly string[] | undefined;
  readonly complete?: Completers<string> | undefined;
  readonly deadlineMs?: number | undefined;
}

/** Creates a prompt entry and folds the server's middleware around its handler. */
export function createPromptEntry(settings: CompileSettings, parts: PromptParts): PromptEntry {
  const { definition, check, handler } = parts;
  const { name } = definition;
  const run = (args: unknown, call: Call): MaybePromise<PromptResult> =>
    andThen(handler(args, call), toPromptResult);
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
    label: `Prompt "${name}" arguments`,
    side: "input",
  });
  const { properties, required } = jsonSchema;
  if (!isJsonObject(properties)) throw new Error(`Prompt "${name}" arguments must be an object schema`);
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
      issues.push({ path: [name], message: "must be text" });
    else if (value !== undefined) values.push([name, value]);
  }
  return issues.length > 0 ? { issues } : { value: Object.fromEntries(values) };
}

function toPromptResult(value: PromptReturn): PromptResult {
  if (value instanceof McpError) throw value;
  if (typeof value === "string")
    return {
      messages: [{ role: "user", content: { type: "text", text: value } }],
    };
  if (isMessageList(value)) return { messages: value };
  if (isJsonObject(value) && Array.isArray(value["messages"])) return value;
  throw new TypeError("a prompt handler must return text, messages or a prompt result");
}

function isMessageList(value: PromptReturn): value is readonly PromptMessage[] {
  return Array.isArray(value);
}
