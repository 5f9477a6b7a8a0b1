/**
 * @fileoverview Measures the process that it runs in: the heap after a garbage collection, and everything that must not
 * become more. Import it before any other module, because it replaces the global timers.
 * @module tools/soak/probe
 */
import { EventEmitter } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { queryObjects } from "node:v8";

/** Measurement of a process at rest. */
export interface Reading {
  readonly heapBytes: number;
  /** Memory of buffers. */
  readonly externalBytes: number;
  /** Counts by name. None may be higher after the load than before it. */
  readonly counts: Readonly<Record<string, number>>;
  /** Open handles and listeners by kind, to explain a count. */
  readonly details: string;
}

/** Counts that a program adds to those of every process. */
export type OwnCounts = () => CountsByName | Promise<CountsByName>;

type CountsByName = Readonly<Record<string, number>>;

/** Objects of a program that are counted. */
export interface Probed {
  /** Emitters that all calls share, besides the process and its open handles. */
  readonly emitters?: readonly EventEmitter[];
  /** Classes whose objects are counted, by the name of the count. */
  readonly classes?: Readonly<Record<string, new (...args: never[]) => unknown>>;
  readonly own?: OwnCounts;
}

const timers = trackTimers();

// The first stack trace with a line of the program makes V8 index all its lines, which takes 0.4 MB once. Without this
// statement, the first write to a broken connection would look like a leak, because Node reads the stack of its error.
void new Error("Read for its effect on V8.").stack;

/** Collects garbage and measures the process. */
export async function readProcess({ emitters = [], classes = {}, own }: Probed): Promise<Reading> {
  let heapBytes = Infinity;
  let externalBytes = Infinity;
  for (let turn = 0; turn < COLLECTIONS; turn++) {
    globalThis.gc?.();
    // Finalizers run between two turns, and release more memory.
    await nextTurn();
    const usage = process.memoryUsage();
    heapBytes = Math.min(heapBytes, usage.heapUsed);
    externalBytes = Math.min(externalBytes, usage.external);
  }
  const handles = process.getActiveResourcesInfo().filter((kind) => !NOT_HANDLES.has(kind));
  const shared = [process, ...openEmitters(), ...emitters];
  const objects = { ...classes, "abort signals": AbortSignal };
  return {
    heapBytes,
    externalBytes,
    counts: {
      handles: handles.length,
      timers: timers.size,
      listeners: shared.reduce((total, emitter) => total + countListeners(emitter), 0),
      ...Object.fromEntries(
        Object.entries(objects).map(([name, type]) => [name, queryObjects(type, { format: "count" })]),
      ),
      ...(await own?.()),
    },
    details: `${handles.toSorted().join(" ")}; ${shared.map(describeListeners).join("; ")}`,
  };
}

const COLLECTIONS = 6;

/** Resources that are counted as timers, or that exist only for a moment. */
const NOT_HANDLES: ReadonlySet<string> = new Set(["Timeout", "Immediate", "TickObject"]);

/** Returns the emitters behind all open handles, such as servers and sockets. */
function openEmitters(): readonly EventEmitter[] {
  // Not in the types of Node.js. Without it, listeners on servers inside a library could not be counted.
  const { _getActiveHandles: read } = process as { _getActiveHandles?: () => readonly unknown[] };
  return read?.call(process).filter((handle) => handle instanceof EventEmitter) ?? [];
}

function countListeners(emitter: EventEmitter): number {
  return emitter.eventNames().reduce((total, name) => total + emitter.listenerCount(name), 0);
}

function describeListeners(emitter: EventEmitter): string {
  const names = emitter.eventNames().map((name) => `${String(name)} ${emitter.listenerCount(name)}`);
  return `${emitter.constructor.name}: ${names.join(", ")}`;
}

/**
 * Replaces the global timers by ones that are tracked until they have run or were cleared. `getActiveResourcesInfo`
 * leaves out timers that do not keep the process running.
 */
function trackTimers(): ReadonlySet<NodeJS.Timeout> {
  const live = new Set<NodeJS.Timeout>();
  const { setTimeout: startTimeout, setInterval: startInterval, clearTimeout: clear } = globalThis;
  const replaced = {
    setTimeout(task: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) {
      const timer = startTimeout(() => {
        live.delete(timer);
        task(...args);
      }, ms);
      live.add(timer);
      return timer;
    },
    setInterval(task: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) {
      const timer = startInterval(task, ms, ...args);
      live.add(timer);
      return timer;
    },
    clearTimeout(timer: NodeJS.Timeout | undefined) {
      if (timer !== undefined) live.delete(timer);
      clear(timer);
    },
    clearInterval(timer: NodeJS.Timeout | undefined) {
      replaced.clearTimeout(timer);
    },
  };
  Object.assign(globalThis, replaced);
  return live;
}
