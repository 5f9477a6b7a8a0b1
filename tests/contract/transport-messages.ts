/**
 * @fileoverview Holds a message of the server against the specification, as a client sees it.
 * @module tests/contract/transport-messages
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Revision } from "tenon/protocol";
import {
  checkError,
  checkNotification,
  checkResult,
  checkServerRequest,
  hasWireSchemas,
} from "../support/wire-schemas.js";

/** What is wrong with a message. */
export type Problem = string;

/** @param asked the method that this replies to; without one, nobody waits for a reply */
export function checkMessage(
  revision: Revision,
  message: JsonObject,
  asked: string | undefined,
): readonly Problem[] {
  const { jsonrpc, id, method, result, error } = message;
  if (jsonrpc !== "2.0") return [`not JSON-RPC: ${JSON.stringify(message)}`];
  if (method === undefined && asked === undefined)
    return [`nobody waits for this: ${JSON.stringify(message)}`];
  if (!hasWireSchemas) return [];
  return [problemOf()].filter((problem) => problem !== undefined);

  function problemOf(): Problem | undefined {
    if (method !== undefined) {
      const check = id === undefined ? checkNotification : checkServerRequest;
      return check(revision, message);
    }
    return error === undefined ? checkResult(revision, asked ?? "", result) : checkError(revision, message);
  }
}
