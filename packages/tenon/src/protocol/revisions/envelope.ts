/**
 * @fileoverview Reads the `_meta` envelope of stateless requests and determines a message's era.
 * @module tenon/protocol/revisions/envelope
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf, showValue } from "@tenon/internal/kind-of";
import { boundCapabilities, boundClientInfo } from "../client-facts.js";
import { type ClientCapabilities, isLogLevel, LOG_LEVELS, type LogLevel } from "../definitions.js";
import type { ErrorName } from "../errors.js";
import type { JsonRpcRequest } from "../json-rpc.js";
import { type Era, findRevision, isRevisionOf, MODERN_REVISIONS, type Revision } from "./revision.js";

/** Reserved `_meta` keys. */
export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** Client data from a stateless request. Capabilities and client information are limited in size. */
export interface Envelope {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: JsonObject | undefined;
  readonly logLevel: LogLevel | undefined;
}

/** Reason for rejecting a request. */
export interface Refusal {
  readonly error: ErrorName;
  readonly reason: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Returns true if a message has at least one key of the stateless envelope. */
export function hasEnvelope(message: JsonRpcRequest): boolean {
  const meta = message.params?.["_meta"];
  return (
    isJsonObject(meta) &&
    (meta[META.protocolVersion] !== undefined || meta[META.clientCapabilities] !== undefined)
  );
}

/** Reads the envelope of a stateless request. If it is missing or invalid, returns the reason for rejecting it. */
export function readEnvelope(message: JsonRpcRequest): Envelope | Refusal {
  const meta = message.params?.["_meta"];
  if (!isJsonObject(meta)) return broken(`\`_meta\` must be an object with ${requiredKeys()}.`);
  const version = meta[META.protocolVersion];
  if (typeof version !== "string") {
    return broken(`\`_meta["${META.protocolVersion}"]\` must be a string; got ${kindOf(version)}.`);
  }
  const revision = findRevision("modern", version);
  if (revision === undefined) {
    return {
      error: "UNSUPPORTED_VERSION",
      reason: "Unsupported protocol version",
      details: { supported: MODERN_REVISIONS, requested: version },
    };
  }
  const capabilities = meta[META.clientCapabilities];
  if (!isJsonObject(capabilities)) {
    return broken(`\`_meta["${META.clientCapabilities}"]\` must be an object; got ${kindOf(capabilities)}.`);
  }
  const clientInfo = meta[META.clientInfo];
  if (clientInfo !== undefined && !isJsonObject(clientInfo)) {
    return broken(`\`_meta["${META.clientInfo}"]\` must be an object; got ${kindOf(clientInfo)}.`);
  }
  const logLevel = meta[META.logLevel];
  if (logLevel !== undefined && !isLogLevel(logLevel)) {
    const known = LOG_LEVELS.join(", ");
    return broken(`\`_meta["${META.logLevel}"]\` must be one of ${known}; got ${showValue(logLevel)}.`);
  }
  return {
    revision,
    capabilities: boundCapabilities(capabilities),
    clientInfo: clientInfo && boundClientInfo(clientInfo),
    logLevel,
  };
}

/** Message era, or the reason for rejecting the message. */
export type EraOutcome = Era | Refusal;

/**
 * Determines a message's era from its body, then from its version header. A malformed stateless request is rejected,
 * never handled as a legacy request.
 */
export function classifyEra(message: JsonRpcRequest, versionHeader?: string): EraOutcome {
  const version = versionHeader?.trim();
  const claimsHeader = isRevisionOf("modern", version);
  if (message.method === "initialize" && "error" in readEnvelope(message)) {
    return claimsHeader
      ? {
          error: "HEADER_MISMATCH",
          reason:
            `\`initialize\` is not available in protocol version ${version}. ` +
            "Send `server/discover` instead.",
        }
      : "legacy";
  }
  if (hasEnvelope(message)) return "modern";
  return claimsHeader
    ? broken(`Protocol version ${version} requires \`_meta\` with ${requiredKeys()}.`)
    : "legacy";
}

function requiredKeys(): string {
  return `"${META.protocolVersion}" and "${META.clientCapabilities}"`;
}

function broken(reason: string): Refusal {
  return { error: "INVALID_ENVELOPE", reason };
}
