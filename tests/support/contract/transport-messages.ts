/**
 * @fileoverview Checks the messages that a client receives against the specification.
 * @module tests/support/contract/transport-messages
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Revision } from "tenon/protocol";
import { checkError, checkNotification, checkResult, checkServerRequest } from "../wire-schemas.js";

/** Description of how a message violates the specification. */
export type Problem = string;

/** @param asked method of the request that this message replies to, or `undefined` if no reply is expected */
export function checkMessage(
  revision: Revision,
  message: JsonObject,
  asked: string | undefined,
): readonly Problem[] {
  const { jsonrpc, id, method, result, error } = message;
  if (jsonrpc !== "2.0") return [`not JSON-RPC: ${JSON.stringify(message)}`];
  if (method === undefined && asked === undefined) return [`unexpected reply: ${JSON.stringify(message)}`];
  return [problemOf()].filter((problem) => problem !== undefined);

  function problemOf(): Problem | undefined {
    if (method !== undefined) {
      const check = id === undefined ? checkNotification : checkServerRequest;
      return check(revision, message);
    }
    return error === undefined ? checkResult(revision, asked ?? "", result) : checkError(revision, message);
  }
}
