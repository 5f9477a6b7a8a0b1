/**
 * @fileoverview What a scenario is: it gives what a client saw, to be compared with what the reference saw, and says in
 * plain values what must be in it.
 * @module tests/contract/transport-scenario
 */
import type { JsonObject } from "@tenon/internal/json";
import { META, type Traits } from "tenon/protocol";
import { ClientError } from "tenon/testing";
import type { TransportClient } from "./transport-client.js";

/** One thing to do over a transport. */
export interface Scenario {
  readonly title: string;
  /** The revisions it is for; all of them unless given. */
  readonly only?: (traits: Traits) => boolean;
  /** Does it, and gives what the client saw. */
  readonly run: (client: TransportClient) => Promise<unknown>;
  /** Says what must have been seen. */
  readonly check: (seen: never, traits: Traits) => void;
}

/** Keeps the type of what was seen between the two halves of a scenario. */
export function scenario<Seen>(
  title: string,
  run: (client: TransportClient) => Promise<Seen>,
  check: (seen: Seen, traits: Traits) => void,
  only?: Scenario["only"],
): Scenario {
  return { title, run, check, ...(only === undefined ? {} : { only }) };
}

/** The error that a request ended with. */
export async function errorOf(reply: Promise<unknown>): Promise<unknown> {
  const error: unknown = await reply.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ClientError)) return { noErrorReply: error };
  const { code, message, data } = error;
  return data === undefined ? { code, message } : { code, message, data };
}

/** What a text result looks like in a revision. */
export function textResult(text: string, traits: Traits, more: JsonObject = {}): JsonObject {
  return { ...inResult(traits), content: [{ type: "text", text }], ...more };
}

/** What every result of a revision has. */
export function inResult({ stateless }: Traits): JsonObject {
  return stateless ? { resultType: "complete", _meta: { [META.serverInfo]: SERVER_INFO } } : {};
}

/** What the server says of itself. */
export const SERVER_INFO = { name: "contract", version: "1.2.3" };

/** For the revisions that open with `initialize`. */
export const isLegacy = ({ stateless }: Traits): boolean => !stateless;
/** For the stateless revisions. */
export const isModern = ({ stateless }: Traits): boolean => stateless;

/** The text that a call gave. */
export async function textOf(call: Promise<JsonObject>): Promise<unknown> {
  return ((await call)["content"] as readonly JsonObject[])[0]?.["text"];
}

/** The result, or the error. */
export async function errorOrResult(reply: Promise<JsonObject>): Promise<unknown> {
  const result = await reply.catch(() => undefined);
  return result ?? (await errorOf(reply));
}
