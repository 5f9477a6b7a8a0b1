/**
 * @fileoverview Functions that answer a server's requests: for user input, model output, and roots.
 * @module tenon/client/handlers
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom } from "@tenon/internal/options/option-rows";
import { quoted } from "@tenon/internal/text";
import { type ClientCapabilities, ERRORS, type Root, type SamplingResult } from "../protocol/index.js";
import { ClientError } from "./errors.js";
import { limitError } from "./limits.js";

/** User's answer to a form or URL elicitation. */
export type UserAnswer =
  { readonly action: "accept"; readonly content?: JsonObject } | { readonly action: "decline" | "cancel" };

/** Functions that answer a server's requests. Each one is declared as a client capability. */
export const HANDLERS = /* @__PURE__ */ defineOptions("createClient", {
  /**
   * Answers elicitations. `params` are those of `elicitation/create`. Fields that an accepted form omits get the
   * defaults of its schema.
   */
  input: callback<(params: JsonObject) => MaybePromise<UserAnswer>>({
    aliases: ["elicit", "elicitation", "onElicitation"],
  }),
  /** Answers sampling requests. A string is the text of the model. */
  sample: callback<(params: JsonObject) => MaybePromise<SamplingResult | string>>({ aliases: ["sampling"] }),
  /** Roots that the client lists, or a function that returns them for each request. */
  roots: custom<readonly Root[] | (() => MaybePromise<readonly Root[]>)>(),
});

/** Functions that answer a server's requests. Each one is declared as a client capability. */
export interface RequestHandlers extends OptionsOf<typeof HANDLERS> {}

/** Returns the capabilities that a client with these handlers declares. */
export function capabilitiesOf(handlers: RequestHandlers): ClientCapabilities {
  return {
    ...(handlers.input === undefined ? {} : { elicitation: { form: {}, url: {} } }),
    ...(handlers.sample === undefined ? {} : { sampling: { tools: {} } }),
    ...(handlers.roots === undefined ? {} : { roots: {} }),
  };
}

/**
 * Answers all questions of a result, by key.
 *
 * @throws {ClientError} if no handler answers one
 * @throws {ConnectionError} if there are more than `limit` questions
 */
export async function answerQuestions(
  handlers: RequestHandlers,
  inputRequests: unknown,
  limit: number,
): Promise<JsonObject> {
  const asked = Object.entries(isJsonObject(inputRequests) ? inputRequests : {});
  if (asked.length > limit)
    throw limitError("The server asks too many questions at the same time", "maxAnswers", limit);
  const answers = asked.map(async ([key, question]) => {
    const { method, params } = isJsonObject(question) ? question : {};
    const detail = isJsonObject(params) ? params : {};
    return [key, await answerRequest(handlers, String(method), detail)] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

/** Answers one request of a server. @throws {ClientError} if no handler answers it */
export async function answerRequest(
  handlers: RequestHandlers,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  if (method === "elicitation/create" && handlers.input !== undefined)
    return withDefaults({ ...(await handlers.input(params)) }, params["requestedSchema"]);
  if (method === "sampling/createMessage" && handlers.sample !== undefined) {
    const answer = await handlers.sample(params);
    return typeof answer === "string"
      ? { role: "assistant", model: "unknown", content: { type: "text", text: answer } }
      : { ...answer };
  }
  const { roots } = handlers;
  if (method === "roots/list" && roots !== undefined)
    return { roots: typeof roots === "function" ? await roots() : roots };
  throw new ClientError({
    code: ERRORS.METHOD_NOT_FOUND.rpc,
    message:
      `The client cannot respond to "${quoted(method)}". ` +
      "Pass the function that answers it (`input`, `sample`, or `roots`) to `createClient`.",
  });
}

/** Adds the schema's defaults to an accepted form. */
function withDefaults(answer: JsonObject, schema: unknown): JsonObject {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  if (answer["action"] !== "accept" || !isJsonObject(properties)) return answer;
  const defaults = Object.entries(properties).flatMap(([name, field]) =>
    isJsonObject(field) && field["default"] !== undefined ? [[name, field["default"]] as const] : [],
  );
  if (defaults.length === 0) return answer;
  const { content } = answer;
  return {
    ...answer,
    content: { ...Object.fromEntries(defaults), ...(isJsonObject(content) ? content : {}) },
  };
}
