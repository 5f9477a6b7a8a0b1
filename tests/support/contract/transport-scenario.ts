/**
 * @fileoverview Scenarios for the transport contract. A scenario returns the client's observations, which are compared
 * with the reference and checked against expected values.
 * @module tests/support/contract/transport-scenario
 */
import type { JsonObject } from "@tenon/internal/json";
import { META, type Traits } from "tenon/protocol";
import { ClientError } from "tenon/client";
import type { TransportClient } from "./transport-client.js";

/** Scenario to run over a transport. */
export interface Scenario {
  readonly title: string;
  /** Revisions that the scenario applies to. @default all */
  readonly only?: (traits: Traits) => boolean;
  /** Runs the scenario and returns the client's observations. */
  readonly run: (client: TransportClient) => Promise<unknown>;
  /** Asserts the expected observations. */
  readonly check: (seen: never, traits: Traits) => void;
}

/** Creates a scenario whose `check` has the type that `run` returns. */
export function scenario<Seen>(
  title: string,
  run: (client: TransportClient) => Promise<Seen>,
  check: (seen: Seen, traits: Traits) => void,
  only?: Scenario["only"],
): Scenario {
  return { title, run, check, ...(only === undefined ? {} : { only }) };
}

/** Returns a failed request's error. */
export async function errorOf(reply: Promise<unknown>): Promise<unknown> {
  const error: unknown = await reply.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ClientError)) return { noErrorReply: error };
  const { code, message, data } = error;
  return data === undefined ? { code, message } : { code, message, data };
}

/** Returns a text result in the form that a revision requires. */
export function textResult(text: string, traits: Traits, more: JsonObject = {}): JsonObject {
  return { ...inResult(traits), content: [{ type: "text", text }], ...more };
}

/** Returns the members that every result has in a revision. */
export function inResult({ stateless }: Traits): JsonObject {
  return stateless ? { resultType: "complete", _meta: { [META.serverInfo]: SERVER_INFO } } : {};
}

/** The contract server's name and version. */
export const SERVER_INFO = { name: "contract", version: "1.2.3" };

/** True for revisions that start with `initialize`. */
export const isLegacy = ({ stateless }: Traits): boolean => !stateless;
/** True for stateless revisions. */
export const isModern = ({ stateless }: Traits): boolean => stateless;

/** Returns the text of a call's result. */
export async function textOf(call: Promise<JsonObject>): Promise<unknown> {
  return ((await call)["content"] as readonly JsonObject[])[0]?.["text"];
}

/** Returns the result or the error of a request. */
export async function errorOrResult(reply: Promise<JsonObject>): Promise<unknown> {
  const result = await reply.catch(() => undefined);
  return result ?? (await errorOf(reply));
}
