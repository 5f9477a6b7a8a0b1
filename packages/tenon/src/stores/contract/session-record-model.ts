/**
 * @fileoverview Contract case that compares random operations on session records with a simple model.
 * @module tenon/stores/contract/session-record-model
 */
import { assertEqual, defineCases } from "../../tasks/contract/checks.js";
import type { SessionRecords } from "../ports.js";
import type { StoreCase } from "./case-context.js";
import type { Random } from "./samples.js";
import type { SessionRecordLimits } from "./session-record-cases.js";

/** Cases with random operations. */
export const SESSION_MODEL_CASES = /* @__PURE__ */ defineCases<
  StoreCase<SessionRecords, SessionRecordLimits>
>({
  "random operations of several owners keep exactly the records that the limits allow": (context) =>
    context.repeat(async (random) => {
      const model = new Model(random.integer(2, 7), random.integer(1, 4));
      const nodes = await context.openBoth({ maxKeys: model.maxKeys });
      for (let step = 0; step < STEPS; step++) {
        const store = nodes[random.integer(0, 1) === 0 ? 0 : 1];
        await runStep(store, model, random);
      }
      for (const owner of OWNERS) {
        for (let number = 0; number < KEYS_PER_OWNER; number++) {
          const key = `${owner}${number}`;
          assertEqual(`The record ${key}`, (await nodes[0].get(key)) !== undefined, model.has(key));
        }
      }
    }),
});

const STEPS = 40;
const OWNERS = ["aa", "bb", "cc", "--"] as const;
const KEYS_PER_OWNER = 6;

/** Unit of lifetimes in milliseconds. It is much longer than a case takes. */
const UNIT = 100_000;

/** Runs one operation on a store and on the model, and compares the outcomes. */
async function runStep(store: SessionRecords, model: Model, random: Random): Promise<void> {
  const owner = random.pick(OWNERS);
  const key = `${owner}${random.integer(0, KEYS_PER_OWNER - 1)}`;
  const kind = random.integer(0, 5);
  if (kind === 0) return assertEqual(`\`delete\` of ${key}`, await store.delete(key), model.delete(key));
  const expiry = model.nextExpiry(random);
  const ttlMs = expiry * UNIT;
  if (kind === 1)
    return assertEqual(`\`touch\` of ${key}`, await store.touch(key, ttlMs), model.write(key, expiry));
  if (kind === 2) {
    const { version = "" } = (await store.get(key)) ?? {};
    const isWritten = await store.compareAndSet(key, version, { value: "changed", ttlMs });
    return assertEqual(`\`compareAndSet\` of ${key}`, isWritten, model.write(key, expiry));
  }
  const { maxPerOwner } = model;
  const owned = owner === "--" ? {} : { owner, maxPerOwner };
  const outcome = await store.create(key, { value: key, ttlMs, label: key, ...owned });
  return assertEqual(`\`create\` of ${key}`, outcome, model.create(key, expiry));
}

/** Records as a list. The first two characters of a key are its owner. */
class Model {
  readonly maxKeys: number;
  readonly maxPerOwner: number;
  readonly #expiries = new Map<string, number>();
  readonly #used = new Set<number>();

  constructor(maxKeys: number, maxPerOwner: number) {
    this.maxKeys = maxKeys;
    this.maxPerOwner = maxPerOwner;
  }

  /** Returns a lifetime that no record has had, so that no two records expire at the same time. */
  nextExpiry(random: Random): number {
    let expiry = random.integer(10, 1_000);
    while (this.#used.has(expiry)) expiry++;
    this.#used.add(expiry);
    return expiry;
  }

  has(key: string): boolean {
    return this.#expiries.has(key);
  }

  delete(key: string): boolean {
    return this.#expiries.delete(key);
  }

  write(key: string, expiry: number): boolean {
    if (this.has(key)) this.#expiries.set(key, expiry);
    return this.has(key);
  }

  create(key: string, expiry: number): { readonly created: boolean; readonly displaced: readonly string[] } {
    const displaced: string[] = [];
    if (this.has(key)) return { created: false, displaced };
    const owner = key.slice(0, 2);
    const drop = (victim = "") => {
      this.delete(victim);
      displaced.push(victim);
    };
    const own = owner === "--" ? [] : this.#keysOf(owner);
    for (const victim of own.slice(0, Math.max(own.length - this.maxPerOwner + 1, 0))) drop(victim);
    while (this.#expiries.size >= this.maxKeys) {
      const [largest = []] = OWNERS.map((one) => this.#keysOf(one)).toSorted(
        (one, other) => other.length - one.length || this.#expiryOf(one[0]) - this.#expiryOf(other[0]),
      );
      const mine = this.#keysOf(owner);
      drop((largest.length > mine.length ? largest : mine)[0]);
    }
    this.#expiries.set(key, expiry);
    return { created: true, displaced };
  }

  /** Returns the keys of an owner, with the one that expires first at the start. */
  #keysOf(owner: string): readonly string[] {
    return [...this.#expiries.keys()]
      .filter((key) => key.startsWith(owner))
      .toSorted((one, other) => this.#expiryOf(one) - this.#expiryOf(other));
  }

  #expiryOf(key: string | undefined): number {
    return this.#expiries.get(key ?? "") ?? Number.POSITIVE_INFINITY;
  }
}
