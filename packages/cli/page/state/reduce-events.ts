/**
 * @fileoverview State of the page, and events of the backend that change it. Maps are copied once for many events, because the first events
 * after connecting contain thousands of calls.
 * @module cli/page-app/state/reduce-events
 */
import type {
  Activity,
  BuildState,
  CallSummary,
  ConnectionState,
  Launch,
  LogEntry,
  PageEvent,
  Question,
  ReplayState,
  ServerState,
  TaskSummary,
} from "../../src/page/protocol.js";

/** Maximum numbers of entries. The oldest ones are dropped. */
const MAX_CALLS = 2_000;
const MAX_TASKS = 500;
const MAX_UPDATES = 500;
const MAX_LOG = 5_000;

/** Returns the state after some events. */
export function reduceEvents(state: PageState, events: readonly PageEvent[]): PageState {
  const draft = new StateDraft(state);
  for (const event of events) draft.take(event);
  return draft.finish();
}

/** State on the page, and the state of a stream whose first events are still arriving. */
export interface SyncState {
  readonly shown: PageState;
  readonly incoming: PageState | undefined;
}

/** Starts a new stream. The page shows the old state until the new one is complete. */
export function startSync({ shown }: SyncState): SyncState {
  return { shown, incoming: EMPTY_STATE };
}

/** Applies events of a stream. */
export function syncEvents({ shown, incoming }: SyncState, events: readonly PageEvent[]): SyncState {
  if (incoming === undefined) return { shown: reduceEvents(shown, events), incoming };
  const ready = events.findIndex(({ type }) => type === "ready");
  if (ready === -1) return { shown, incoming: reduceEvents(incoming, events) };
  const complete = reduceEvents(incoming, events.slice(0, ready));
  const isSameLaunch = complete.launch?.id === shown.launch?.id;
  const next = isSameLaunch ? { ...complete, updates: shown.updates } : complete;
  return { shown: reduceEvents(next, events.slice(ready + 1)), incoming: undefined };
}

class StateDraft {
  readonly #before: PageState;
  readonly #calls: MapDraft<PageState["calls"]>;
  readonly #questions: MapDraft<PageState["questions"]>;
  readonly #tasks: MapDraft<PageState["tasks"]>;
  readonly #updates: MapDraft<PageState["updates"]>;
  readonly #log: LogEntry[] = [];
  #rest: Partial<PageState> = {};

  constructor(before: PageState) {
    this.#before = before;
    this.#calls = new MapDraft(before.calls, MAX_CALLS);
    this.#questions = new MapDraft(before.questions, Number.POSITIVE_INFINITY);
    this.#tasks = new MapDraft(before.tasks, MAX_TASKS);
    this.#updates = new MapDraft(before.updates, MAX_UPDATES);
  }

  take(event: PageEvent): void {
    switch (event.type) {
      case "launch":
        return this.#assign({ launch: event.launch });
      case "connection":
        return this.#assign({ connection: event.connection });
      case "server":
        return this.#assign({ server: event.server });
      case "build":
        return this.#assign({ build: event.build });
      case "activity":
        return this.#assign({ activity: event.activity });
      case "replay":
        return this.#assign({ replay: event.replay });
      case "call":
        return this.#calls.set(event.call.id, event.call);
      case "calls-cleared":
        return this.#calls.clear();
      case "question":
        return this.#questions.set(event.question.id, event.question);
      case "question-closed":
        return this.#questions.delete(event.id);
      case "task":
        return this.#tasks.set(event.task.id, event.task);
      case "subscriptions":
        return this.#assign({ subscriptions: event.uris });
      case "resource-updated":
        return this.#updates.set(event.uri, event.at);
      case "log":
        this.#log.push(event.entry);
        return;
      case "ready":
        return;
    }
  }

  finish(): PageState {
    const { log } = this.#before;
    return {
      ...this.#before,
      ...this.#rest,
      calls: this.#calls.finish(),
      questions: this.#questions.finish(),
      tasks: this.#tasks.finish(),
      updates: this.#updates.finish(),
      log: this.#log.length === 0 ? log : [...log, ...this.#log].slice(-MAX_LOG),
    };
  }

  #assign(part: Partial<PageState>): void {
    this.#rest = { ...this.#rest, ...part };
  }
}

/** Map that is copied before its first change. */
class MapDraft<M extends ReadonlyMap<string, unknown>> {
  readonly #before: M;
  readonly #limit: number;
  #copy: Map<string, unknown> | undefined;

  constructor(before: M, limit: number) {
    this.#before = before;
    this.#limit = limit;
  }

  set(key: string, value: M extends ReadonlyMap<string, infer V> ? V : never): void {
    const copy = this.#change();
    copy.set(key, value);
    const [oldest] = copy.keys();
    if (copy.size > this.#limit && oldest !== undefined) copy.delete(oldest);
  }

  delete(key: string): void {
    this.#change().delete(key);
  }

  clear(): void {
    this.#change().clear();
  }

  finish(): M {
    // Safe: `set` accepts only values of the map's type.
    return (this.#copy as unknown as M | undefined) ?? this.#before;
  }

  #change(): Map<string, unknown> {
    this.#copy ??= new Map(this.#before);
    return this.#copy;
  }
}

/** State of the inspected server. */
export interface PageState {
  readonly launch: Launch | undefined;
  readonly connection: ConnectionState;
  readonly server: ServerState | undefined;
  readonly build: BuildState | undefined;
  /** Calls by ID, oldest first. */
  readonly calls: ReadonlyMap<string, CallSummary>;
  readonly questions: ReadonlyMap<string, Question>;
  readonly activity: Activity;
  readonly tasks: ReadonlyMap<string, TaskSummary>;
  readonly log: readonly LogEntry[];
  /** URIs of the resources that the page is subscribed to. */
  readonly subscriptions: readonly string[];
  /** Time of the last change of each subscribed resource, by URI. */
  readonly updates: ReadonlyMap<string, number>;
  readonly replay: ReplayState | undefined;
}

/** State before the first event. */
export const EMPTY_STATE: PageState = {
  launch: undefined,
  connection: { status: "connecting", revisions: {} },
  server: undefined,
  build: undefined,
  calls: new Map(),
  questions: new Map(),
  activity: { sessions: [], gauges: [] },
  tasks: new Map(),
  log: [],
  subscriptions: [],
  updates: new Map(),
  replay: undefined,
};
