/**
 * @fileoverview Last values of the gauges, for small charts. The backend sends only changes, so the page takes samples.
 * @module cli/page-app/state/gauge-history
 */
import type { Gauge } from "../../src/page/protocol.js";

/** Values by the ID of the gauge, oldest first. */
export type GaugeHistory = ReadonlyMap<string, readonly number[]>;

/** Samples of each gauge. With one per second, they cover three minutes. */
export const MAX_SAMPLES = 180;

/** Adds the current values. Gauges that no longer exist are dropped. */
export function addSamples(history: GaugeHistory, gauges: readonly Gauge[]): GaugeHistory {
  return new Map(
    gauges.map(({ id, value }) => [id, [...(history.get(id) ?? []), value].slice(-MAX_SAMPLES)] as const),
  );
}
