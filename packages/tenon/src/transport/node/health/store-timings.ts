/**
 * @fileoverview Measures the operations of a store: their duration, and the number of failures.
 * @module tenon/transport/node/health/store-timings
 */
import type { SharedStore } from "../../../stores/shared-store.js";
import type { Metric, Sample } from "./metrics-text.js";

/** Parts of a store, as values of the label `part`. */
type Part = "sessions" | "values" | "events" | "bus" | "rate_limits" | "tasks" | "ping";

/** Upper bounds of the histogram in seconds. */
const BOUNDS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

interface Timing {
  /** Number of operations per bucket. The last one has no upper bound. */
  readonly buckets: number[];
  seconds: number;
  failures: number;
}

/** Durations and failures of a store's operations. */
export class StoreTimings {
  readonly #timings = new Map<Part, Timing>();
  readonly #now: () => number;

  /** @param now returns milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns a store with the same content whose operations are measured. */
  measure(store: SharedStore): SharedStore {
    return {
      name: store.name,
      sessions: this.#wrap("sessions", store.sessions),
      values: this.#wrap("values", store.values),
      events: this.#wrap("events", store.events),
      bus: this.#wrap("bus", store.bus),
      rateLimits: this.#wrap("rate_limits", store.rateLimits),
      secrets: () => store.secrets(),
      createTaskEngine: (context) => this.#wrap("tasks", store.createTaskEngine(context), ENGINE_OPERATIONS),
      ...(store.countTasks === undefined ? {} : { countTasks: store.countTasks.bind(store) }),
      open: (warn) => store.open(warn),
      ping: () => this.#time("ping", () => store.ping()),
    };
  }

  /** Returns the measurements. */
  metrics(): readonly Metric[] {
    const timings = [...this.#timings];
    return [
      {
        name: "tenon_store_operation_seconds",
        help: "Duration of store operations.",
        type: "histogram",
        samples: timings.flatMap(([part, timing]) => toSamples(part, timing)),
      },
      {
        name: "tenon_store_errors_total",
        help: "Store operations that failed.",
        type: "counter",
        samples: timings.map(([part, { failures }]) => ({ labels: { part }, value: failures })),
      },
    ];
  }

  /** Wraps the methods of an object. Other members stay as they are. */
  #wrap<T extends object>(part: Part, target: T, names?: ReadonlySet<string>): T {
    // Safe: every member is read from `target`. A proxy of a frozen object could not replace its members.
    return new Proxy({} as T, {
      get: (_empty, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        const call = (...args: readonly unknown[]): unknown => Reflect.apply(member, target, args);
        const isMeasured = names === undefined || (typeof name === "string" && names.has(name));
        return isMeasured
          ? (...args: readonly unknown[]) => this.#time(part, async () => call(...args))
          : call;
      },
    });
  }

  async #time<T>(part: Part, operation: () => Promise<T>): Promise<T> {
    const timing = this.#timings.get(part) ?? {
      buckets: BOUNDS.map(() => 0).concat(0),
      seconds: 0,
      failures: 0,
    };
    this.#timings.set(part, timing);
    const start = this.#now();
    try {
      return await operation();
    } catch (error) {
      timing.failures++;
      throw error;
    } finally {
      const seconds = (this.#now() - start) / 1_000;
      const found = BOUNDS.findIndex((bound) => seconds <= bound);
      const index = found === -1 ? BOUNDS.length : found;
      timing.buckets[index] = (timing.buckets[index] ?? 0) + 1;
      timing.seconds += seconds;
    }
  }
}

/** Operations of a task engine whose duration is the store's. The others last as long as a task. */
const ENGINE_OPERATIONS: ReadonlySet<string> = /* @__PURE__ */ new Set(["create", "read", "write", "watch"]);

function toSamples(part: Part, { buckets, seconds }: Timing): Sample[] {
  let count = 0;
  const samples = buckets.map((inBucket, index) => {
    count += inBucket;
    const le = index < BOUNDS.length ? String(BOUNDS[index]) : "+Inf";
    return { suffix: "_bucket", labels: { part, le }, value: count };
  });
  return [
    ...samples,
    { suffix: "_sum", labels: { part }, value: seconds },
    { suffix: "_count", labels: { part }, value: count },
  ];
}
