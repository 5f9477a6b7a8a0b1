/**
 * @fileoverview Record of a shared session: what every node must know about its client.
 * @module session/shared/session-record
 */
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import type { Connection } from "../../core/wire/connection.js";
import type { ClientCapabilities, LogLevel, Revision } from "../../protocol/index.js";
import type { KeyValueEntry } from "../../stores/ports.js";
import type { ClusterNode } from "./cluster-node.js";

/** State of a client's connection that all nodes share. */
export interface SharedState {
  readonly revision: Revision;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: JsonObject | null;
  readonly logLevel: LogLevel | null;
  /** Subscribed URIs and the subscriber's scopes. */
  readonly subscriptions: readonly (readonly [uri: string, scopes: readonly string[] | null])[];
}

/** Position on a session's main stream: the last message of the session, and the last change of the server. */
export interface MainPosition {
  readonly own: string;
  readonly change: string;
}

/** Record of a session. */
export interface SessionRecord extends SharedState {
  readonly id: string;
  /** Caller that opened the session. `null` if callers are not authenticated. */
  readonly principal: string | null;
  /** Position at which a client without an event ID starts. */
  readonly main: MainPosition;
}

/** Encrypts a session's record. */
export function sealRecord(node: ClusterNode, key: string, record: SessionRecord): Promise<string> {
  return node.sealer.seal(JSON.stringify(record), placeOf(key));
}

/** Decrypts a session's record. Returns `undefined` if it was altered. */
export async function openRecord(
  node: ClusterNode,
  key: string,
  { value }: KeyValueEntry,
): Promise<SessionRecord | undefined> {
  const text = await node.sealer.open(value, placeOf(key));
  if (text !== undefined) return parseRecord(text);
  node.report(new Error("The record of a session in the store cannot be decrypted. It was ignored."));
  return undefined;
}

function placeOf(key: string): string {
  return `session/${key}`;
}

/** Parses a record. Returns `undefined` for any other text. */
function parseRecord(text: string): SessionRecord | undefined {
  const value = readJson(text);
  // Safe: records are encrypted, so a text that can be decrypted was written by a node of this server.
  return isJsonObject(value) && typeof value["id"] === "string"
    ? (value as unknown as SessionRecord)
    : undefined;
}

/** Returns the state of a connection. */
export function readState(connection: Connection): SharedState {
  const { revision, capabilities, clientInfo, logLevel, subscriptions } = connection;
  return {
    revision,
    capabilities,
    clientInfo: clientInfo ?? null,
    logLevel: logLevel ?? null,
    subscriptions: [...subscriptions].map(([uri, scopes]) => [uri, scopes ?? null]),
  };
}

/** Sets the state of a connection. */
export function applyState(connection: Connection, state: SharedState): void {
  connection.revision = state.revision;
  connection.capabilities = state.capabilities;
  connection.clientInfo = state.clientInfo ?? undefined;
  connection.logLevel = state.logLevel ?? undefined;
  const uris = new Map(state.subscriptions);
  for (const uri of connection.subscriptions.keys()) if (!uris.has(uri)) connection.unsubscribe(uri);
  for (const [uri, scopes] of uris) connection.subscribe(uri, scopes ?? undefined);
}

/** Applies the difference between `base` and `mine` to the newest state, which another node may have changed. */
export function mergeState(base: SharedState, mine: SharedState, newest: SharedState): SharedState {
  const before = new Map(base.subscriptions);
  const after = new Map(mine.subscriptions);
  const merged = new Map(newest.subscriptions);
  for (const uri of before.keys()) if (!after.has(uri)) merged.delete(uri);
  for (const [uri, scopes] of after) if (!before.has(uri)) merged.set(uri, scopes);
  const isInitialized = JSON.stringify(mine.clientInfo) !== JSON.stringify(base.clientInfo);
  return {
    ...(isInitialized ? mine : newest),
    logLevel: mine.logLevel === base.logLevel ? newest.logLevel : mine.logLevel,
    subscriptions: [...merged],
  };
}
