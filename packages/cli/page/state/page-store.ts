/**
 * @fileoverview Signals with the state of the inspected server, and the history of its gauges. A component renders again only if a part that it reads has
 * changed.
 * @module cli/page-app/state/page-store
 */
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Gauge, PageEvent } from "../../src/page/protocol.js";
import { EMPTY_STATE, type PageState, startSync, syncEvents, type SyncState } from "./reduce-events.js";

type StateSignals = { readonly [Key in keyof PageState]: ReadonlySignal<PageState[Key]> };

/** Signals of the page's state. */
export interface PageStore extends StateSignals {
  /** Current time in milliseconds since 1970. Changes only while a call runs. */
  readonly now: ReadonlySignal<number>;
  readonly history: ReadonlySignal<GaugeHistory>;
  readonly runningCalls: ReadonlySignal<number>;
  /** Starts to read a new stream. */
  readonly begin: () => void;
  readonly apply: (events: readonly PageEvent[]) => void;
  /** Takes a sample of the gauges. Call it once per second. */
  readonly sample: () => void;
  /** Updates the current time, if a call runs. */
  readonly tick: (now: number) => void;
}

/** Options of `createPageStore`. */
export interface StoreOptions {
  /** Called when the events are those of another launch. */
  readonly onLaunch?: (() => void) | undefined;
}

/** Creates the signals of the page's state. */
export function createPageStore({ onLaunch }: StoreOptions = {}): PageStore {
  const signals = createSignals(EMPTY_STATE);
  const now = signal(0);
  const history = signal<GaugeHistory>(new Map());
  const runningCalls = computed(() => {
    let count = 0;
    for (const { outcome } of signals.calls.value.values()) if (outcome === "running") count++;
    return count;
  });
  let sync: SyncState = { shown: EMPTY_STATE, incoming: undefined };
  return {
    ...signals,
    now,
    history,
    runningCalls,
    begin() {
      sync = startSync(sync);
    },
    apply(events) {
      const before = sync.shown;
      sync = syncEvents(sync, events);
      const { shown } = sync;
      if (shown === before) return;
      batch(() => {
        const isNewLaunch = before.launch !== undefined && before.launch.id !== shown.launch?.id;
        if (isNewLaunch) onLaunch?.();
        for (const [key, value] of Object.entries(shown)) assign(signals, key, value);
      });
    },
    sample() {
      const { gauges } = signals.activity.peek();
      if (gauges.length > 0) history.value = addSamples(history.peek(), gauges);
    },
    tick(time) {
      if (runningCalls.peek() > 0) now.value = time;
    },
  };
}

type WritableSignals = { readonly [Key in keyof PageState]: Signal<PageState[Key]> };

function createSignals(state: PageState): WritableSignals {
  const entries = Object.entries(state).map(([key, value]) => [key, signal<unknown>(value)] as const);
  // Safe: there is one signal for each member, with the value of this member.
  return Object.fromEntries(entries) as unknown as WritableSignals;
}

function assign(signals: WritableSignals, key: string, value: unknown): void {
  // Safe: the key and the value are from the same state.
  const target = signals[key as keyof PageState] as Signal<unknown>;
  target.value = value;
}

/** Values by the ID of the gauge, oldest first. */
type GaugeHistory = ReadonlyMap<string, readonly number[]>;

/** Samples of each gauge. With one per second, they cover three minutes. */
export const MAX_SAMPLES = 180;

/** Adds the current values. Gauges that no longer exist are dropped. */
export function addSamples(history: GaugeHistory, gauges: readonly Gauge[]): GaugeHistory {
  return new Map(
    gauges.map(({ id, value }) => [id, [...(history.get(id) ?? []), value].slice(-MAX_SAMPLES)] as const),
  );
}
