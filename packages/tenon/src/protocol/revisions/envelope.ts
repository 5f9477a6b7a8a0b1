/**
 * @fileoverview The `_meta` envelope that a stateless request carries, and the era that a message belongs to.
 * @module protocol/revisions/envelope
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { boundCapabilities, boundClientInfo } from "../client-facts.js";
import { type ClientCapabilities, isLogLevel, type LogLevel } from "../definitions.js";
import type { ErrorName } from "../errors.js";
import type { JsonRpcRequest } from "../json-rpc.js";
import { type Era, findRevision, isRevisionOf, MODERN_REVISIONS, type Revision } from "./revision.js";

/** The reserved keys of `_meta`. */
export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** The client of a request: its revision, capabilities and description, the last two within limits. */
export interface Envelope {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: JsonObject | undefined;
  readonly logLevel: LogLevel | undefined;
}

/** A refusal, by name and in words. */
export interface Refusal {
  readonly error: ErrorName;
  readonly reason: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Whether a message makes any claim to be a stateless one. */
export function hasEnvelope(message: JsonRpcRequest): boolean {
  const meta = message.params?.["_meta"];
  return (
    isJsonObject(meta) &&
    (meta[META.protocolVersion] !== undefined || meta[META.clientCapabilities] !== undefined)
  );
}

/** Reads the envelope of a stateless request; a refusal has an `error`. */
export function readEnvelope(message: JsonRpcRequest): Envelope | Refusal {
  const meta = message.params?.["_meta"];
  if (!isJsonObject(meta)) return broken("_meta is required");
  const version = meta[META.protocolVersion];
  if (typeof version !== "string") return broken(`_meta["${META.protocolVersion}"] must be a string`);
  const revision = findRevision("modern", version);
  if (revision === undefined) {
    return {
      error: "UNSUPPORTED_VERSION",
      reason: "Unsupported protocol version",
      details: { supported: MODERN_REVISIONS, requested: version },
    };
  }
  const capabilities = meta[META.clientCapabilities];
  if (!isJsonObject(capabilities)) return broken(`_meta["${META.clientCapabilities}"] must be an object`);
  const clientInfo = meta[META.clientInfo];
  if (clientInfo !== undefined && !isJsonObject(clientInfo)) {
    return broken(`_meta["${META.clientInfo}"] must be an object`);
  }
  const logLevel = meta[META.logLevel];
  if (logLevel !== undefined && !isLogLevel(logLevel)) {
    return broken(`_meta["${META.logLevel}"] must be a log level`);
  }
  return {
    revision,
    capabilities: boundCapabilities(capabilities),
    clientInfo: clientInfo && boundClientInfo(clientInfo),
    logLevel,
  };
}

/** Which era a message is of, or why it can be of none. */
export type EraOutcome = Era | Refusal;

/**
 * Decides the era of a posted message by its body first, then by its version header, so that a broken stateless
 * request is refused and never taken for a legacy one.
 */
export function classifyEra(message: JsonRpcRequest, versionHeader?: string): EraOutcome {
  const claimsHeader = isRevisionOf("modern", versionHeader?.trim());
  if (message.method === "initialize" && "error" in readEnvelope(message)) {
    return claimsHeader
      ? { error: "HEADER_MISMATCH", reason: "initialize does not go with a stateless protocol version" }
      : "legacy";
  }
  if (hasEnvelope(message)) return "modern";
  return claimsHeader ? broken("_meta envelope is required by the protocol version header") : "legacy";
}

function broken(reason: string): Refusal {
  return { error: "INVALID_ENVELOPE", reason };
}
