/**
 * @fileoverview Prompts as the official SDK registers them, and the drafts they become.
 * @module app/mcp-server/prompts
 */
import type { Call } from "tenon/host";
import type { Completer } from "tenon";
import { layered } from "tenon/host";
import type { PromptDraft } from "tenon/host";
import { ArgumentsError } from "tenon/host";
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { andThen } from "@tenon/internal/maybe-promise";
import type { McpPromptArgumentDefinition, PromptResult } from "tenon/protocol";
import type { CompiledSchema } from "tenon/host";
import { completerOf, noSuggestions } from "./completable.js";
import { describeFor, failVisit, INVALID_PARAMS, numbered } from "../requests/errors.js";
import { compile, fieldsOf, isOptional, toSchema } from "./schemas.js";
import { Registration, said, type RegistryHost } from "./registry.js";
import type { AnySchema, Callback, PromptCallback, Shape } from "../requests/types.js";

/** What a prompt says of itself, and its callback. */
export interface PromptFacts {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly argsSchema: AnySchema | undefined;
  readonly callback: Callback;
  readonly enabled: boolean;
}

/** What can be changed of a registered prompt. */
export interface PromptUpdates<Args extends Shape> {
  /** Another name; null takes the prompt off. */
  readonly name?: string | null;
  readonly title?: string;
  readonly description?: string;
  readonly argsSchema?: Args;
  readonly callback?: PromptCallback<Args>;
  readonly enabled?: boolean;
}

/** A prompt on a server. Every change reaches its clients. */
export class RegisteredPrompt extends Registration<PromptFacts, PromptDraft> {
  get description(): string | undefined {
    return this.slot.facts.description;
  }

  get argsSchema(): AnySchema | undefined {
    return this.slot.facts.argsSchema;
  }

  get callback(): Callback {
    return this.slot.facts.callback;
  }

  /** Changes it. @throws and changes nothing, where the new name is taken or a schema cannot be used */
  update<Args extends Shape>(updates: PromptUpdates<Args>): void {
    const { name, argsSchema, callback, ...rest } = updates;
    this.slot.change(
      said({
        ...rest,
        argsSchema: toSchema(argsSchema),
        callback,
      }),
      name,
    );
  }
}

/** The draft of a prompt. */
export function draftPrompt(name: string, facts: PromptFacts, host: RegistryHost): PromptDraft {
  const { title, description, argsSchema } = facts;
  return {
    name,
    compile(settings) {
      const args = argsSchema && compile(argsSchema, `Prompt ${name} arguments`, "input");
      const list = args && toArguments(argsSchema);
      return {
        name,
        definition: frozenCopy({
          name,
          ...said({ title, description }),
          ...(list === undefined ? {} : { arguments: list }),
        }),
        scopes: [],
        complete: toCompleters(argsSchema),
        deadlineMs: settings.deadlineMs,
        check: (given) => checkArguments(name, args, host, given),
        run: layered(settings.layers, { kind: "prompt", name }, (given, call) =>
          run(facts, host, given, call),
        ),
      };
    },
  };
}

function toArguments(schema: unknown): readonly McpPromptArgumentDefinition[] {
  return Object.entries(fieldsOf(schema)).map(([name, field]) => {
    const description = isJsonObject(field) ? field["description"] : undefined;
    return {
      name,
      ...(typeof description === "string" ? { description } : {}),
      required: !isOptional(field),
    };
  });
}

/** Where one argument has suggestions, the others have none to give. */
function toCompleters(schema: unknown): Readonly<Record<string, Completer>> {
  const fields = Object.entries(fieldsOf(schema));
  const completers = fields.map(([name, field]) => [name, completerOf(field)] as const);
  return completers.some(([, completer]) => completer !== undefined)
    ? Object.fromEntries(completers.map(([name, completer]) => [name, completer ?? noSuggestions]))
    : {};
}

function checkArguments(
  name: string,
  args: CompiledSchema | undefined,
  host: RegistryHost,
  given: JsonObject,
) {
  if (args === undefined) return { value: undefined };
  return andThen(args.check(given), (checked) => {
    if (checked.issues === undefined) return checked;
    const text = `Invalid arguments for prompt ${name}: ${describeFor(checked.issues)}`;
    const visit = host.visits.current;
    if (visit !== undefined)
      visit.failure = { code: INVALID_PARAMS, message: numbered(INVALID_PARAMS, text) };
    throw new ArgumentsError(text);
  });
}

async function run(facts: PromptFacts, host: RegistryHost, args: unknown, call: Call): Promise<PromptResult> {
  const visit = host.visits.enter(call);
  const extra = host.extraOf(visit);
  // Its type went by its schema when it was registered.
  const callback = facts.callback as (...given: readonly unknown[]) => unknown;
  try {
    const result = await (facts.argsSchema === undefined ? callback(extra) : callback(args, extra));
    if (!isJsonObject(result) || !Array.isArray(result["messages"])) {
      throw new TypeError("a prompt callback must return messages");
    }
    return result as unknown as PromptResult; // its one required member was just checked
  } catch (error) {
    return failVisit(visit, error, host.exposes);
  }
}
