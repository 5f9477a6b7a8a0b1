/**
 * @fileoverview Record of a shared session: what every node must know about its client.
 * @module tenon/session/shared/session-record
 */
import type { JsonObject } from "@tenon/internal/json";
import { checkRecord, toRecordText } from "@tenon/internal/records/record-format";
import type { Connection, ListDigests } from "../../core/wire/connection.js";
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
  /** Lists that the client knows. Absent in the records of older versions. */
  readonly lists?: ListDigests;
}

/** Position on a session's main stream: the last message of the session, and the last change of the server. */
export interface MainPosition {
  readonly own: string;
  readonly change: string;
}

/** Record of a session. */
export interface SessionRecord extends SharedState {
  readonly id: string;
  /** Name of the server. Servers with different names can share a store and its keys, but not their sessions. */
  readonly server?: string;
  /** Caller that opened the session. `null` if callers are not authenticated. */
  readonly principal: string | null;
  /** Position at which a client without an event ID starts. */
  readonly main: MainPosition;
}

/** Encrypts a session's record. */
export function sealRecord(node: ClusterNode, key: string, record: SessionRecord): Promise<string> {
  // A member and not part of the place, so that nodes with an earlier version can decrypt the record during an update.
  return node.sealer.seal(toRecordText("session", { ...record, server: node.server }), placeOf(key));
}

/** Decrypts a session's record. Returns `undefined` if it was altered, or if only a newer version can read it. */
export async function openRecord(
  node: ClusterNode,
  key: string,
  { value }: KeyValueEntry,
): Promise<SessionRecord | undefined> {
  const found = checkRecord("session", await node.sealer.open(value, placeOf(key)));
  // Safe: records are encrypted, so a text that can be decrypted was written by a node of this server.
  if (found.kind === "read") return found.record as unknown as SessionRecord;
  if (found.kind === "newer") node.reportNewer(found.problem);
  else
    node.reportProblem(
      new Error("The record of a session in the store cannot be decrypted. It was ignored."),
    );
  return undefined;
}

function placeOf(key: string): string {
  return `session/${key}`;
}

/** Returns the state of a connection. */
export function readState(connection: Connection): SharedState {
  const { revision, capabilities, clientInfo, logLevel, subscriptions, lists } = connection;
  return {
    revision,
    capabilities,
    clientInfo: clientInfo ?? null,
    logLevel: logLevel ?? null,
    subscriptions: [...subscriptions].map(([uri, scopes]) => [uri, scopes ?? null]),
    lists,
  };
}

/** Sets the state of a connection. */
export function applyState(connection: Connection, state: SharedState): void {
  connection.revision = state.revision;
  connection.capabilities = state.capabilities;
  connection.clientInfo = state.clientInfo ?? undefined;
  connection.logLevel = state.logLevel ?? undefined;
  connection.lists = state.lists ?? {};
  connection.replaceSubscriptions(state.subscriptions);
}

/** Applies the difference between `base` and `mine` to the newest state, which another node may have changed. */
export function mergeState(base: SharedState, mine: SharedState, newest: SharedState): SharedState {
  const before = new Map(base.subscriptions);
  const after = new Map(mine.subscriptions);
  const merged = new Map(newest.subscriptions);
  for (const uri of before.keys()) if (!after.has(uri)) merged.delete(uri);
  for (const [uri, scopes] of after) {
    const known = before.get(uri);
    if (known === undefined || !isSame(known, scopes)) merged.set(uri, scopes);
  }
  const lists = { ...(newest.lists ?? base.lists) };
  for (const [method, digest] of Object.entries(mine.lists ?? {}))
    if (base.lists?.[method] !== digest) lists[method] = digest;
  const isInitialized = !isSame(mine.clientInfo, base.clientInfo);
  return {
    ...(isInitialized ? mine : newest),
    logLevel: mine.logLevel === base.logLevel ? newest.logLevel : mine.logLevel,
    subscriptions: [...merged],
    lists,
  };
}

/**
 * Returns the new subscriptions that exceed a limit together with those that other nodes have stored in the meantime.
 */
export function findExcess(
  merged: Pick<SharedState, "subscriptions">,
  newest: Pick<SharedState, "subscriptions">,
  limits: Pick<Connection, "maxSubscriptions" | "maxSubscribedLength">,
): ReadonlySet<string> {
  const known = new Map(newest.subscriptions);
  const excess = new Set<string>();
  let count = 0;
  let length = 0;
  for (const [uri] of merged.subscriptions) {
    const fits = count < limits.maxSubscriptions && length + uri.length <= limits.maxSubscribedLength;
    if (!fits && !known.has(uri)) {
      excess.add(uri);
      continue;
    }
    count++;
    length += uri.length;
  }
  return excess;
}

/** Returns a state without some of its subscriptions. */
export function withoutSubscriptions<State extends SharedState>(
  state: State,
  uris: ReadonlySet<string>,
): State {
  return { ...state, subscriptions: state.subscriptions.filter(([uri]) => !uris.has(uri)) };
}

/** Returns true if two states differ at most in the order of their subscriptions and lists. */
export function isSameState(one: SharedState, other: SharedState): boolean {
  const toText = ({ revision, capabilities, clientInfo, logLevel, subscriptions, lists = {} }: SharedState) =>
    JSON.stringify([
      revision,
      capabilities,
      clientInfo,
      logLevel,
      subscriptions.toSorted(byName),
      Object.entries(lists).toSorted(byName),
    ]);
  return toText(one) === toText(other);
}

function byName([one]: readonly [string, ...unknown[]], [other]: readonly [string, ...unknown[]]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
