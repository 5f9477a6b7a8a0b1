/**
 * @fileoverview The answers of the testing client to questions of the server.
 * @module transport/memory/fakes
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { ClientCapabilities, Root, SamplingResult } from "../../protocol/index.js";

/** The answer to a form or a link. */
export type FakeInputAnswer =
  { readonly action: "accept"; readonly content?: JsonObject } | { readonly action: "decline" | "cancel" };

/** Stand-ins for the people and models behind a client. What is given is declared as a capability. */
export interface Fakes {
  /** Answers forms and links; `params` are those of `elicitation/create`. */
  readonly input?: (params: JsonObject) => MaybePromise<FakeInputAnswer>;
  /** Answers for the client's model. */
  readonly sample?: (params: JsonObject) => MaybePromise<SamplingResult | string>;
  /** The places that the client works in. */
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

/** Answers one question of the server. @throws for a question that no fake can answer */
export async function answerQuestion(fakes: Fakes, method: string, params: JsonObject): Promise<JsonObject> {
  if (method === "elicitation/create" && fakes.input !== undefined) return { ...(await fakes.input(params)) };
  if (method === "sampling/createMessage" && fakes.sample !== undefined) {
    const answer = await fakes.sample(params);
    return typeof answer === "string"
      ? { role: "assistant", model: "fake", content: { type: "text", text: answer } }
      : { ...answer };
  }
  if (method === "roots/list" && fakes.roots !== undefined) return { roots: fakes.roots };
  throw new Error(`the testing client has no fake for ${method}`);
}
