/**
 * @fileoverview Metrics of one server process.
 * @module tenon/transport/node/health/node-metrics
 */
import type { RequestListener } from "node:http";
import type { SharedStore } from "../../../stores/shared-store.js";
import type { Metric } from "./metrics-text.js";
import { StoreTimings } from "./store-timings.js";

/** The parts of an endpoint that are counted. */
export interface CountedEndpoint {
  /** Number of requests in progress, without open streams. */
  readonly inFlight: number;
  /** Number of sessions that this process has in memory. */
  readonly openSessions: number;
  /** Number of the server's log entries by event. */
  readonly logCounts: ReadonlyMap<string, number>;
}

/** Events that have a value from the start, so that an alert sees the first one. */
const RARE_EVENTS = ["node-lost", "store-failed", "store-restored", "task-taken-over"];

/** Counts what a server does. */
export class NodeMetrics {
  readonly timings = new StoreTimings();
  readonly #responses = new Map<string, number>();

  /** Wraps a request handler, so that its responses are counted. */
  count(handler: RequestListener): RequestListener {
    return (request, response) => {
      response.once("close", () => {
        const status = response.headersSent ? `${Math.trunc(response.statusCode / 100)}xx` : "none";
        this.#responses.set(status, (this.#responses.get(status) ?? 0) + 1);
      });
      handler(request, response);
    };
  }

  /** Returns the metrics of this process. */
  own({ inFlight, openSessions, logCounts }: CountedEndpoint): readonly Metric[] {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      gauge("tenon_sessions", "Sessions that this process has in memory.", openSessions),
      gauge("tenon_requests_in_flight", "Requests in progress, without open streams.", inFlight),
      {
        name: "tenon_requests_total",
        help: "Requests to the endpoint, by class of the response status.",
        type: "counter",
        samples: [...this.#responses].map(([status, value]) => ({ labels: { status }, value })),
      },
      {
        name: "tenon_log_entries_total",
        help: "Entries of the server's log, by event.",
        type: "counter",
        samples: [...new Map([...RARE_EVENTS.map((event) => [event, 0] as const), ...logCounts])].map(
          ([event, value]) => ({ labels: { event }, value }),
        ),
      },
      ...this.timings.metrics(),
      gauge("process_resident_memory_bytes", "Resident memory.", rss),
      gauge("nodejs_heap_size_used_bytes", "Used heap.", heapUsed),
      { ...gauge("process_cpu_seconds_total", "CPU time.", (user + system) / 1e6), type: "counter" },
      gauge("process_uptime_seconds", "Time since the process started.", process.uptime()),
    ];
  }
}

/** Returns the metrics that are the same in every process, because they describe the store. */
export async function readStoreMetrics(
  store: SharedStore | undefined,
  isReady: boolean,
): Promise<readonly Metric[]> {
  if (store === undefined) return [];
  const up = gauge("tenon_store_up", "1 if the store accepts writes.", isReady ? 1 : 0);
  const counts = isReady ? await store.countTasks?.().catch(() => undefined) : undefined;
  if (counts === undefined) return [up];
  const samples = (["queued", "active", "stored"] as const).map((state) => ({
    labels: { state },
    value: counts[state],
  }));
  return [up, { name: "tenon_tasks", help: "Tasks in the store.", type: "gauge", samples }];
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: "gauge", samples: [{ value }] };
}
