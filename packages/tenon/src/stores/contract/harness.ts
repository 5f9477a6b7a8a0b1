/**
 * @fileoverview Interface between the contract suites and the author of a store.
 * @module tenon/stores/contract/harness
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { ContractTimes } from "../../tasks/contract/harness.js";

/** Functions that create the stores under test. */
export interface StoreHarness<Store, Limits = object> extends ContractTimes {
  /** Creates an empty store. Some cases set limits, which have the meaning of the port's limits. */
  readonly createStore: (limits: Limits) => MaybePromise<Store>;
  /** Creates a store with the same content, as on a second node. Omit it if the content belongs to one process. */
  readonly createPeer?: (store: Store) => MaybePromise<Store>;
  /** Closes a store. The suite calls it at the end of each case, for peers too. */
  readonly closeStore?: (store: Store) => MaybePromise<void>;
  /**
   * Cuts the connection of one store to its backend. The store must reconnect by itself. Omit it if there is no
   * connection.
   */
  readonly interrupt?: (store: Store) => MaybePromise<void>;
  /**
   * Number of runs of each case with random operations.
   * @default 20
   */
  readonly runs?: number;
}
