/**
 * @fileoverview Registered prompts with the official SDK's interface, and their conversion to drafts for the core
 * server.
 * @module sdk/server/registrations/prompts
 */
import type { Completer } from "tenon";
import {
  ArgumentsError,
  assertScopes,
  type Call,
  type CompiledSchema,
  createPromptEntry,
  type PromptDraft,
} from "tenon/host";
import type { Icon, PromptResult } from "tenon/protocol";
import { isJsonObject, type JsonObject, withoutUndefined } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { andThen } from "@tenon/internal/maybe-promise";
import type { AnySchema, Callback, PromptCallback, Shape } from "../../types.js";
import { failRequest, INVALID_PARAMS } from "../requests/errors.js";
import { type CommonFacts, type CommonUpdates, registrationOf, type RegistryHost } from "./registry.js";
import { completerOf, fieldsOf } from "./schemas.js";

/** Prompt definition and callback. */
export interface PromptFacts extends CommonFacts {
  readonly description?: string | undefined;
  readonly argsSchema: AnySchema | undefined;
  readonly icons?: readonly Icon[] | undefined;
  readonly _meta?: JsonObject | undefined;
  readonly callback: Callback;
}

/** Changes to a registered prompt. Omitted properties keep their values. */
export interface PromptUpdates<Args extends Shape> extends CommonUpdates {
  /** New name. `null` removes the prompt. */
  readonly name?: string | null;
  readonly description?: string;
  readonly argsSchema?: Args;
  readonly icons?: readonly Icon[];
  readonly _meta?: Record<string, unknown>;
  readonly callback?: PromptCallback<Args>;
}

/** A registered prompt. Every change notifies clients. */
export class RegisteredPrompt extends registrationOf<PromptFacts, PromptDraft>()(
  "description",
  "argsSchema",
  "icons",
  "_meta",
  "callback",
) {
  /**
   * Updates the prompt.
   *
   * @throws if the name is already in use or the schema is not supported. The prompt is then unchanged.
   */
  update<Args extends Shape>(updates: PromptUpdates<Args>): void {
    const { name, argsSchema, ...rest } = updates;
    this.apply({ ...rest, argsSchema: this.slot.dialect.toSchema(argsSchema) }, name);
  }
}

/** Creates the draft that the core server compiles. */
export function draftPrompt(name: string, facts: PromptFacts, host: RegistryHost): PromptDraft {
  const { title, description, argsSchema, icons, _meta, scopes } = facts;
  assertScopes(`Prompt "${name}"`, scopes);
  return {
    name,
    compile(settings) {
      const { dialect } = host;
      const args =
        argsSchema && dialect.compile(argsSchema, `Prompt "${name}": the arguments schema`, "input");
      const list = argsSchema && args && dialect.listArguments(argsSchema, args);
      return createPromptEntry(settings, {
        definition: {
          name,
          ...withoutUndefined({ title, description, icons, _meta }),
          ...(list === undefined ? {} : { arguments: list }),
        },
        scopes,
        complete: toCompleters(argsSchema),
        check: createArgumentsValidator(name, args, host),
        handler: createPromptRunner(name, facts, host),
      });
    },
  };
}

/** Returns the completers of the arguments that have suggestions. */
function toCompleters(schema: unknown): Readonly<Record<string, Completer>> {
  const completers = Object.entries(fieldsOf(schema)).flatMap(([name, field]) => {
    const completer = completerOf(field);
    return completer === undefined ? [] : [[name, completer] as const];
  });
  return Object.fromEntries(completers);
}

/** Creates a function that validates arguments and throws `ArgumentsError` if they are invalid. */
function createArgumentsValidator(name: string, args: CompiledSchema | undefined, host: RegistryHost) {
  return (given: JsonObject) => {
    if (args === undefined) return { value: undefined };
    return andThen(args.check(given), (checked) => {
      if (checked.issues === undefined) return checked;
      const { dialect, hosted } = host;
      const text = `Invalid arguments for prompt ${name}: ${dialect.describeIssues(checked.issues)}`;
      const scope = hosted.requestScopes.current;
      if (scope !== undefined) {
        scope.failure = { code: INVALID_PARAMS, message: dialect.describeError(INVALID_PARAMS, text) };
      }
      throw new ArgumentsError(text);
    });
  };
}

/** Creates a function that runs a prompt's callback and checks its result. */
function createPromptRunner(name: string, facts: PromptFacts, host: RegistryHost) {
  const hasArguments = facts.argsSchema !== undefined;
  // Safe: the callback was type-checked against the same schema at registration.
  const callback = facts.callback as (...given: readonly unknown[]) => unknown;
  return async (args: unknown, call: Call): Promise<PromptResult> => {
    const scope = host.hosted.requestScopes.enter(call);
    try {
      const result = await host.dialect.run(scope, (extra) =>
        hasArguments ? callback(args, extra) : callback(extra),
      );
      if (!isJsonObject(result) || !Array.isArray(result["messages"])) {
        throw new TypeError(
          `Prompt "${name}": the callback must return an object with a \`messages\` array; got ${kindOf(result)}.`,
        );
      }
      // Safe: `messages` is the only required property, and it is checked above.
      return result as unknown as PromptResult;
    } catch (error) {
      return failRequest(scope, error, host.hosted.exposeErrors);
    }
  };
}
