/**
 * @fileoverview Figures about recorded calls.
 * @module cli/page/gauges/record-gauges
 */
import type { Gauge } from "../protocol.js";
import type { CallStore } from "../record/call-store.js";
import { RECORD_LIMITS } from "../record/limits.js";

/** Returns the number and the size of recorded calls. */
export function readRecordGauges({ count, bytes }: CallStore): readonly Gauge[] {
  return [
    { id: "recorded-calls", title: "Recorded calls", value: count, max: RECORD_LIMITS.calls, unit: "calls" },
    {
      id: "recorded-bytes",
      title: "Recorded messages",
      value: bytes,
      max: RECORD_LIMITS.bytes,
      unit: "bytes",
    },
  ];
}
