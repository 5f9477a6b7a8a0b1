/**
 * @fileoverview State of the inspected server, as the events of the backend describe it.
 * @module cli/page-app/state/page-state
 */
import type {
  Activity,
  BuildState,
  CallSummary,
  ConnectionState,
  Launch,
  LogEntry,
  Question,
  ReplayState,
  ServerState,
  TaskSummary,
} from "../../src/page/protocol.js";

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
