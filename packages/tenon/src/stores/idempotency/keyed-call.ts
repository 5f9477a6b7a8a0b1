/**
 * @fileoverview Runs a call with an idempotency key: once on all nodes. The first call writes a record and extends a
 * lease while its handler runs. Calls with the same key wait for its outcome.
 * @module tenon/stores/idempotency/keyed-call
 */
import { toBase64Url } from "@tenon/internal/base64";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { isInstance } from "@tenon/internal/thrown";
import type { Operation, OperationResult } from "../../core/call/middleware.js";
import { RequestError } from "../../protocol/errors.js";
import type { IdempotencySettings } from "./options.js";
import { type HandlerOutcome, isStoppedTask, isUnfinished, replay, toStoredOutcome } from "./outcome.js";
import { StoreError } from "../store-error.js";
import {
  type CallRecord,
  digestArguments,
  type FoundRecord,
  RecordPlace,
  type StoredOutcome,
  toRecordKey,
} from "./records.js";

/** Runs the handler of a call, or returns the outcome of the first call with the same key. */
export async function runKeyedCall(
  settings: IdempotencySettings,
  operation: Operation,
  { key, next }: { readonly key: string; readonly next: () => MaybePromise<OperationResult> },
): Promise<OperationResult> {
  const call = new KeyedCall(settings, operation);
  const found = await guard(operation, () => call.begin(key));
  return found === undefined ? call.run(next) : replay(found);
}

type EndedRecord = Exclude<CallRecord, { readonly state: "running" }>;

class KeyedCall {
  readonly #settings: IdempotencySettings;
  readonly #operation: Operation;
  /** A task keeps its ID on every node that runs it, and continues its own record. */
  readonly #owner: string;
  #place: RecordPlace | undefined;
  #digest = "";

  constructor(settings: IdempotencySettings, operation: Operation) {
    this.#settings = settings;
    this.#operation = operation;
    const { taskId, incoming } = operation.call;
    this.#owner = taskId ?? toBase64Url(incoming.services.ports.randomBytes(OWNER_BYTES));
  }

  /** Waits until the call may run its handler, or returns the record of the call that has ended. */
  async begin(key: string): Promise<EndedRecord | undefined> {
    const { records: sealer } = this.#operation.call.incoming.services;
    const [digest, recordKey, owner] = await Promise.all([
      digestArguments(this.#operation),
      toRecordKey(this.#operation, key),
      this.#settings.findOwner(this.#operation.call),
    ]);
    this.#digest = digest;
    this.#place = new RecordPlace(recordKey, { store: this.#settings.store, sealer, owner });
    for (let delayMs = FIRST_POLL_MS; ; delayMs = Math.min(delayMs * 1.5, MAX_POLL_MS)) {
      const found = await this.#place.find();
      if (found === undefined) {
        if (await this.#claim(null)) return undefined;
        continue;
      }
      const record = this.#check(found);
      if (record.state !== "running") return record;
      if (await this.#mayTakeOver(record)) {
        if (await this.#claim(found.version)) return undefined;
        continue;
      }
      await this.#sleep(delayMs);
    }
  }

  /** Runs the handler and stores its outcome. If that fails, the failure is logged. */
  async run(next: () => MaybePromise<OperationResult>): Promise<OperationResult> {
    const stopLease = this.#keepLease();
    let outcome: HandlerOutcome;
    try {
      outcome = { result: await next() };
    } catch (error) {
      outcome = { error };
    }
    stopLease();
    try {
      await this.#end(outcome);
    } catch (error) {
      logFailure(this.#operation, error);
    }
    if ("error" in outcome) throw outcome.error;
    return outcome.result;
  }

  /** Throws an error if the key was used for other arguments, or if its record cannot be decrypted. */
  #check({ record }: FoundRecord): CallRecord {
    if (record === undefined) {
      const message =
        "The record of an idempotency key could not be decrypted. All nodes must use the same `state.keys`, " +
        "or the same `store` in their transport.";
      logFailure(this.#operation, new Error(message));
      throw unknownOutcome();
    }
    if (record.digest === this.#digest) return record;
    throw new RequestError(
      "INVALID_PARAMS",
      "This idempotency key was used with different arguments. Use a new key for each call.",
    );
  }

  /**
   * Returns true if no node runs the handler and it may run again.
   * @throws {RequestError} if it must not, because its side effects are unknown
   */
  async #mayTakeOver({ owner }: CallRecord): Promise<boolean> {
    if (owner === this.#owner) return true;
    const { store, onLostNode } = this.#settings;
    if ((await store.get(this.#leaseKey(owner))) !== undefined) return false;
    // The call may have ended between the two reads.
    const record = (await this.#place?.find())?.record;
    if (record?.owner !== owner || record.state !== "running") return false;
    const { readOnlyHint, idempotentHint } = this.#operation.annotations ?? {};
    if (onLostNode === "retry" || readOnlyHint === true || idempotentHint === true) return true;
    throw unknownOutcome();
  }

  /** Writes the record of a running call. Returns false if another call was faster. */
  async #claim(version: string | null): Promise<boolean> {
    const { store, ttlMs } = this.#settings;
    // Before the record, so that no other node sees a record without a lease.
    await store.set(this.#leaseKey(), "", { ttlMs: LEASE_MS });
    const record: CallRecord = { digest: this.#digest, owner: this.#owner, state: "running" };
    let isClaimed: boolean;
    try {
      isClaimed = (await this.#place?.replace(version, record, { ttlMs })) === true;
    } catch (error) {
      // A record that the store rejected does not exist.
      if (isInstance(error, StoreError)) await store.delete(this.#leaseKey());
      else this.#withdraw();
      throw error;
    }
    if (!isClaimed) await store.delete(this.#leaseKey());
    return isClaimed;
  }

  /**
   * Removes the record of a claim that the store may have written although its reply was lost. The handler never ran,
   * but repeated calls would be rejected as if its node had stopped. Tries several times, because the store may execute
   * the command late. A task claims its own record again instead.
   */
  #withdraw(delayMs = FIRST_WITHDRAWAL_MS): void {
    const { taskId, incoming } = this.#operation.call;
    if (taskId !== undefined || delayMs > MAX_WITHDRAWAL_MS) return;
    const attempt = async () => {
      const found = await this.#place?.find();
      if (found?.record?.owner !== this.#owner) return false;
      // Unlike a deletion, this never removes the record of a call that has taken over.
      return (await this.#place?.replace(found.version, found.record, { ttlMs: 1 })) === true;
    };
    const tryAgain = (isRemoved: boolean) => {
      if (!isRemoved) this.#withdraw(2 * delayMs);
    };
    const start = () => void attempt().then(tryAgain, () => tryAgain(false));
    incoming.services.ports.startTimer(start, delayMs, true);
  }

  async #end(outcome: HandlerOutcome): Promise<void> {
    const place = this.#place;
    const found = await place?.find();
    const isOwn = found === undefined || found.record?.owner === this.#owner;
    if (place === undefined || !isOwn) throw new Error(TAKEN_OVER);
    if (isUnfinished(this.#operation, outcome)) await place.delete();
    // A task whose node stops continues on another node, and its record stays for it.
    else if (!isStoppedTask(this.#operation, outcome)) {
      const { maxResultBytes, ttlMs } = this.#settings;
      const stored = toStoredOutcome(this.#operation, outcome, maxResultBytes);
      if (stored.state === "too-large") logFailure(this.#operation, tooLarge(maxResultBytes));
      const write = (state: StoredOutcome) => {
        const record: CallRecord = { digest: this.#digest, owner: this.#owner, ...state };
        return place.replace(found?.version ?? null, record, { ttlMs });
      };
      const isWritten = await write(stored).catch((error: unknown) => {
        if (!isInstance(error, StoreError) || error.code === "too-large") throw error;
        // There is no room for the result, but repeated calls must not run the handler again.
        logFailure(this.#operation, error);
        return write({ state: "too-large" });
      });
      if (!isWritten) throw new Error(TAKEN_OVER);
    }
    await this.#settings.store.delete(this.#leaseKey());
  }

  /** Extends the lease until the returned function is called. */
  #keepLease(): () => void {
    const { ports } = this.#operation.call.incoming.services;
    const { store, ttlMs } = this.#settings;
    let isActive = true;
    let stopTimer: () => void = () => undefined;
    const extend = async () => {
      try {
        // After a long pause of this process, the lease has expired.
        if (!(await store.touch(this.#leaseKey(), LEASE_MS)) && isActive)
          await store.set(this.#leaseKey(), "", { ttlMs: LEASE_MS });
        await this.#place?.touch(ttlMs);
      } catch {
        // The store may work again at the next attempt. If not, other nodes regard this one as lost.
      }
      if (isActive) start();
    };
    const start = () => {
      stopTimer = ports.startTimer(() => void extend(), LEASE_MS / 4, true);
    };
    start();
    return () => {
      isActive = false;
      stopTimer();
    };
  }

  #leaseKey(owner = this.#owner): string {
    return `${this.#place?.key ?? ""}:${owner}`;
  }

  /** Waits, or throws an error when the call is cancelled or times out. */
  async #sleep(ms: number): Promise<void> {
    const { signal, incoming } = this.#operation.call;
    signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const end = () => {
        stopTimer();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const stopTimer = incoming.services.ports.startTimer(end, ms);
      signal.addEventListener("abort", end);
    });
    signal.throwIfAborted();
  }
}

/** Time in milliseconds after which a node that does not extend its lease is regarded as lost. */
const LEASE_MS = 10_000;

/** Delays in milliseconds before the attempts to remove the record of a failed claim. They double. */
const FIRST_WITHDRAWAL_MS = 100;
const MAX_WITHDRAWAL_MS = 30_000;

const FIRST_POLL_MS = 20;
const MAX_POLL_MS = 1_000;
const OWNER_BYTES = 16;

const TAKEN_OVER =
  "The outcome of a call could not be stored: another node has taken over its idempotency key.";

/** Rejects a call if the store fails before the handler runs. */
async function guard<T>(operation: Operation, begin: () => Promise<T>): Promise<T> {
  try {
    return await begin();
  } catch (cause) {
    if (isInstance(cause, RequestError) || operation.call.signal.aborted) throw cause;
    // Not logged, because a client could fill the log.
    if (isInstance(cause, StoreError) && cause.code === "share") throw usedShare();
    const isRejected = isInstance(cause, StoreError) && cause.code !== "full";
    if (isRejected || operation.call.incoming.services.outage.begins()) logFailure(operation, cause);
    const message = "Calls with an idempotency key are temporarily unavailable. Try again later.";
    throw new RequestError("SERVICE_UNAVAILABLE", message, undefined, { cause });
  }
}

function logFailure({ name, call }: Operation, error: unknown): void {
  const { services, method } = call.incoming;
  services.log?.({ level: "error", event: "store-failed", operation: method, name, error });
}

function usedShare(): RequestError {
  return new RequestError(
    "TOO_MANY_CALLS",
    "Too many results of calls with an idempotency key are stored for this caller. " +
      "Try again when some of them have expired, or call without a key.",
  );
}

function unknownOutcome(): RequestError {
  return new RequestError(
    "CONFLICT",
    "The outcome of the first call with this idempotency key is unknown: its node stopped before it ended. " +
      "Check if the call had an effect before you repeat it with a new key.",
  );
}

function tooLarge(maxResultBytes: number): Error {
  return new Error(
    `The result of a call with an idempotency key is too large to be stored (limit: ${maxResultBytes} bytes). ` +
      "Raise `maxResultBytes`.",
  );
}
