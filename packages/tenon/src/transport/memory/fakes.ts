/**
 * @fileoverview Fakes that respond to server requests for the test client.
 * @module transport/memory/fakes
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { ClientCapabilities, Root, SamplingResult } from "../../protocol/index.js";

/** Fake user's answer to a form or URL elicitation. */
export type FakeInputAnswer =
  { readonly action: "accept"; readonly content?: JsonObject } | { readonly action: "decline" | "cancel" };

/** Fake user, model, and roots for a test client. Each fake is declared as a client capability. */
export interface Fakes {
  /** Responds to elicitations. `params` are those of `elicitation/create`. */
  readonly input?: (params: JsonObject) => MaybePromise<FakeInputAnswer>;
  /** Responds to sampling requests. */
  readonly sample?: (params: JsonObject) => MaybePromise<SamplingResult | string>;
  /** Roots that the client lists. */
  readonly roots?: readonly Root[];
}

/** Returns the capabilities that a client with these fakes declares. */
export function capabilitiesOf(fakes: Fakes): ClientCapabilities {
  return {
    ...(fakes.input === undefined ? {} : { elicitation: { form: {}, url: {} } }),
    ...(fakes.sample === undefined ? {} : { sampling: { tools: {} } }),
    ...(fakes.roots === undefined ? {} : { roots: {} }),
  };
}

/** Responds to all questions of a result, by key. @throws if no fake handles one */
export async function answerQuestions(fakes: Fakes, inputRequests: unknown): Promise<JsonObject> {
  // Safe: a Tenon server sent it.
  const asked = Object.entries(inputRequests ?? {}) as [string, JsonObject][];
  const answers = asked.map(async ([key, { method, params }]) => {
    const detail = isJsonObject(params) ? params : {};
    return [key, await answerQuestion(fakes, String(method), detail)] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

/** Responds to one server request. @throws if no fake handles it */
export async function answerQuestion(fakes: Fakes, method: string, params: JsonObject): Promise<JsonObject> {
  if (method === "elicitation/create" && fakes.input !== undefined) return { ...(await fakes.input(params)) };
  if (method === "sampling/createMessage" && fakes.sample !== undefined) {
    const answer = await fakes.sample(params);
    return typeof answer === "string"
      ? { role: "assistant", model: "fake", content: { type: "text", text: answer } }
      : { ...answer };
  }
  if (method === "roots/list" && fakes.roots !== undefined) return { roots: fakes.roots };
  throw new Error(
    `The test client cannot respond to "${method}". ` +
      "Pass the fake that handles it (`input`, `sample`, or `roots`) to `createClient`.",
  );
}
