/**
 * @fileoverview Limits for each stream in an event log, for every backend.
 * @module tenon/stores/event-limits
 */
import { defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { integer } from "@tenon/internal/options/option-rows";

/** Limits for each stream in an event log. */
export const EVENT_LIMITS = /* @__PURE__ */ defineOptions("events", {
  /**
   * Maximum number of events in a stream. The oldest are removed first. Stops a stream without a reader from filling
   * the store.
   * @default 1000
   */
  maxEvents: integer({ default: 1_000 }),
  /**
   * Maximum total size of a stream's events in bytes (UTF-8). The oldest are removed first. An event that exceeds the
   * limit by itself is rejected.
   * @default 4194304 (4 MiB)
   */
  maxBytes: integer({ default: 4 * 1024 * 1024 }),
  /**
   * Milliseconds from the last append until the stream expires. Stops abandoned streams from accumulating.
   * @default 3600000 (one hour)
   */
  ttlMs: integer({ default: 3_600_000 }),
});

/** Limits for each stream in an event log. */
export type EventLogLimits = OptionsOf<typeof EVENT_LIMITS>;
