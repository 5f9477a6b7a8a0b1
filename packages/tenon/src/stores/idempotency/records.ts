/**
 * @fileoverview Records of calls with an idempotency key. They are encrypted and bound to their place, so a store can
 * neither read nor replace them.
 * @module tenon/stores/idempotency/records
 */
import { toBase64Url } from "@tenon/internal/base64";
import { canonicalJson, type JsonObject } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import { checkRecord, toRecordText } from "@tenon/internal/records/record-format";
import { encodeUtf8 } from "@tenon/internal/utf8";
import type { Operation } from "../../core/call/middleware.js";
import type { RecordSealer } from "../../core/wire/cluster-link.js";
import type { ErrorName, ToolResult } from "../../protocol/index.js";
import type { KeyValueStore, NewValue } from "../ports.js";

/** Outcome of a call, as its client saw it. */
export type StoredOutcome =
  | { readonly state: "result"; readonly result: ToolResult }
  | {
      readonly state: "error";
      readonly code: ErrorName;
      readonly message: string;
      readonly details?: JsonObject | undefined;
    }
  /** The call succeeded, but its result was too large to be stored. */
  | { readonly state: "too-large" };

/** Call with an idempotency key. */
export type CallRecord = {
  /** Digest of the arguments. */
  readonly digest: string;
  /** ID of the call that runs or ran the handler. */
  readonly owner: string;
} & (StoredOutcome | { readonly state: "running" });

/** Record and its version in the store. The record is `undefined` if it cannot be decrypted. */
export interface FoundRecord {
  readonly record: CallRecord | undefined;
  readonly version: string;
}

/** Store of a record, and the caller that it counts for. */
export interface RecordPlaceParts {
  readonly store: KeyValueStore;
  readonly sealer: RecordSealer;
  /** Opaque ID of the caller. */
  readonly owner: string;
}

/** The record of one key, in a store. */
export class RecordPlace {
  readonly key: string;
  readonly #store: KeyValueStore;
  readonly #sealer: RecordSealer;
  readonly #owner: string;

  constructor(key: string, { store, sealer, owner }: RecordPlaceParts) {
    this.key = key;
    this.#store = store;
    this.#sealer = sealer;
    this.#owner = owner;
  }

  /** Returns the record, or `undefined` if the key is new. @throws if only a newer version can read the record */
  async find(): Promise<FoundRecord | undefined> {
    const entry = await this.#store.get(this.key);
    if (entry === undefined) return undefined;
    const found = checkRecord("idempotent call", await this.#sealer.open(entry.value, this.key));
    if (found.kind === "newer") throw new Error(found.problem);
    // Safe: the record is authentic, so `replace` wrote it.
    const record = found.kind === "read" ? (found.record as CallRecord) : undefined;
    return { record, version: entry.version };
  }

  /** Writes a record if the current one has the given version, or if there is none. */
  async replace(
    version: string | null,
    record: CallRecord,
    options: Pick<NewValue, "ttlMs">,
  ): Promise<boolean> {
    const value = await this.#sealer.seal(toRecordText("idempotent call", record), this.key);
    return this.#store.compareAndSet(this.key, version, { value, owner: this.#owner, ...options });
  }

  delete(): Promise<boolean> {
    return this.#store.delete(this.key);
  }

  /** Extends the lifetime. */
  touch(ttlMs: number): Promise<boolean> {
    return this.#store.touch(this.key, ttlMs);
  }
}

/**
 * Returns the store key for a call. Calls of different principals, servers, or tools never have the same one. The call
 * has passed the check of its scopes, so a stored outcome is only for callers that may run the tool.
 */
export async function toRecordKey({ name, call }: Operation, key: string): Promise<string> {
  const { serverName, ports } = call.incoming.services;
  const parts = [serverName, call.auth?.principal ?? null, name, key];
  return `idempotency:${await digest(ports, parts)}`;
}

/** Returns the digest of a call's arguments, as the client sent them. The order of members does not matter. */
export function digestArguments({ call }: Operation): Promise<string> {
  const { params, services } = call.incoming;
  return digest(services.ports, params?.["arguments"] ?? {});
}

async function digest({ subtle }: Ports, value: unknown): Promise<string> {
  return toBase64Url(new Uint8Array(await subtle.digest("SHA-256", encodeUtf8(canonicalJson(value)))));
}
