/**
 * @fileoverview Reads metrics that another process has sent.
 * @module tenon/transport/node/workers/read-metrics
 */
import { isJsonObject } from "@tenon/internal/json";
import type { Metric } from "../health/metrics-text.js";

/** Reads metrics. Returns an empty list if the value is invalid. */
export function readMetrics(value: unknown): readonly Metric[] {
  return Array.isArray(value) ? value.filter(isMetric) : [];
}

function isMetric(value: unknown): value is Metric {
  if (!isJsonObject(value)) return false;
  const { name, help, type, samples } = value;
  return [name, help, type].every((member) => typeof member === "string") && Array.isArray(samples);
}
