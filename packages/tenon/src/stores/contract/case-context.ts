/**
 * @fileoverview Tools for one case of a store contract: stores, waits, and checks. Everything that a case opens is closed
 * when it ends.
 * @module tenon/stores/contract/case-context
 */
import { kindOf } from "@tenon/internal/kind-of";
import { messageOf } from "@tenon/internal/thrown";
import { CaseWaits, runCase } from "../../tasks/contract/checks.js";
import type { ContractCase } from "../../tasks/contract/harness.js";
import { StoreError, type StoreErrorCode } from "../store-error.js";
import type { StoreHarness } from "./harness.js";
import { Random } from "./samples.js";

/** A case, before it is bound to a harness. */
export interface StoreCase<Store, Limits = object> {
  readonly title: string;
  /** Member of the harness without which the case is left out. */
  readonly needs?: "createPeer" | "interrupt";
  readonly run: (context: StoreContext<Store, Limits>) => Promise<void>;
}

/** Lifetime and two waits, clearly within and clearly beyond it. */
export interface Lifetime {
  readonly ttl: number;
  readonly within: number;
  readonly rest: number;
}

/** One case. */
export class StoreContext<Store, Limits = object> extends CaseWaits<StoreHarness<Store, Limits>> {
  /** Times for cases about expiry. Real time needs large margins, because the machine may be slow or busy. */
  readonly lifetime: Lifetime =
    this.harness.clock === undefined
      ? { ttl: 2_000, within: 1_000, rest: 1_500 }
      : { ttl: 400, within: 200, rest: 300 };
  readonly #stores = new Set<Store>();

  /** Creates an empty store. */
  async open(limits: Limits): Promise<Store> {
    return this.#add(await this.harness.createStore(limits));
  }

  /** Creates an empty store and its view on a second node, which is the same store if there can be only one. */
  async openBoth(limits: Limits): Promise<readonly [Store, Store]> {
    const store = await this.open(limits);
    const peer = await this.harness.createPeer?.(store);
    return [store, peer === undefined ? store : this.#add(peer)];
  }

  /** Cuts the connection of a store. */
  async interrupt(store: Store): Promise<void> {
    await this.harness.interrupt?.(store);
  }

  /** Waits until an operation succeeds, as after a lost connection. */
  untilDone(what: string, operation: () => Promise<unknown>): Promise<void> {
    return this.until(what, () =>
      operation().then(
        () => true,
        () => false,
      ),
    );
  }

  /** Repeats a check with different random values. The message of an error contains the number of the run. */
  async repeat(check: (random: Random, run: number) => Promise<void>): Promise<void> {
    for (let run = 0; run < (this.harness.runs ?? 20); run++) {
      try {
        await check(new Random(run), run);
      } catch (cause) {
        throw new Error(`Run ${run}: ${String(messageOf(cause))}`, { cause });
      }
    }
  }

  /** Ends the case: closes the stores. */
  async end(): Promise<void> {
    for (const store of this.#stores) await this.harness.closeStore?.(store);
    this.#stores.clear();
  }

  #add(store: Store): Store {
    this.#stores.add(store);
    return store;
  }
}

/** Functions of cases, by title. They get an empty store on two nodes, which are the same if there can be only one. */
type NodeCases<Store, Limits> = Readonly<
  Record<string, (nodes: readonly [Store, Store], context: StoreContext<Store, Limits>) => Promise<void>>
>;

/** Creates cases that start with an empty store without limits. */
export function defineNodeCases<Store, Limits = object>(
  cases: NodeCases<Store, Limits>,
): readonly StoreCase<Store, Limits>[] {
  return Object.entries(cases).map(([title, run]) => ({
    title,
    run: async (context) => run(await context.openBoth({} as Limits), context), // Safe: all limits are optional
  }));
}

/** Returns the cases that apply to a harness. */
export function bindCases<Store, Limits>(
  harness: StoreHarness<Store, Limits>,
  cases: readonly StoreCase<Store, Limits>[],
): readonly ContractCase[] {
  return cases
    .filter(({ needs }) => needs === undefined || harness[needs] !== undefined)
    .map(({ title, run }) => ({ title, run: () => runCase(new StoreContext(harness), run) }));
}

/** Throws an error unless all operations are rejected with a `RangeError`. */
export async function assertRangeErrors(
  operations: Readonly<Record<string, Promise<unknown>>>,
): Promise<void> {
  const entries = Object.entries(operations).map(
    ([what, operation]) => [what, outcomeOf(operation)] as const,
  );
  for (const [what, pending] of entries) {
    const outcome = await pending;
    if (outcome !== "a RangeError") throw new Error(`${what}: expected a RangeError; got ${outcome}.`);
  }
}

/** Throws an error unless an operation is rejected with a `StoreError` of the given code. */
export async function assertStoreError(
  what: string,
  code: StoreErrorCode,
  operation: Promise<unknown>,
): Promise<void> {
  const outcome = await outcomeOf(operation);
  const expected = `a StoreError "${code}"`;
  if (outcome !== expected) throw new Error(`${what}: expected ${expected}; got ${outcome}.`);
}

function outcomeOf(operation: Promise<unknown>): Promise<string> {
  return operation.then(
    () => "no error",
    (error: unknown) => {
      if (error instanceof RangeError) return "a RangeError";
      if (error instanceof StoreError) return `a StoreError "${error.code}"`;
      return error instanceof Error ? `${error.name}: ${error.message}` : kindOf(error);
    },
  );
}
