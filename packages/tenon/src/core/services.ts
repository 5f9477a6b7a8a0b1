/**
 * @fileoverview Creates the services that a server shares with its views, and the plan that it starts with.
 * @module tenon/core/services
 */
import { isPromise } from "@tenon/internal/maybe-promise";
import { parseOptions } from "@tenon/internal/options/define-options";
import { withPorts } from "@tenon/internal/ports";
import type { Services } from "./call/incoming.js";
import { KeyRing } from "./call/key-ring.js";
import { createRecordSealer } from "./call/record-sealer.js";
import { createSealer } from "./call/state.js";
import { SERVER_OPTIONS, type ServerOptions, type ServerSettings } from "./definitions/options.js";
import { createPlan, type Plan } from "./definitions/plan.js";
import { ChangeFeed } from "./wire/changes.js";
import { Closing } from "./wire/closing.js";
import { ListenStreams } from "./wire/listen-limits.js";
import { Load } from "./wire/load.js";
import { type LogEntry, type LogSink, Outage } from "./wire/log.js";

/**
 * Creates the constructor's arguments for a subclass of `Server`: a plan without definitions, and services. The server
 * prepares nothing that no request uses.
 */
export function createServerParts(options: ServerOptions): readonly [plan: Plan, services: Services] {
  const settings = parseOptions(SERVER_OPTIONS, options);
  return [{ ...createPlan(settings), isOnDemand: true }, createServices(settings)];
}

/** Creates a server's services. They stay the same when its definitions change. @throws if a key is too short */
export function createServices(settings: ServerSettings): Services {
  const { state, log, logLevel, exposeErrors, unknownToolCode } = settings;
  const ports = withPorts(settings.ports);
  const keyRing = new KeyRing(ports, state.keys);
  const events = new Map<LogEntry["event"], number>();
  return {
    serverName: settings.name,
    ports,
    keyRing,
    sealer: createSealer(ports, state, keyRing),
    records: createRecordSealer(keyRing),
    changes: new ChangeFeed(),
    outage: new Outage(ports),
    events,
    log: log && toQuietSink(log, events),
    logLevel,
    exposeErrors,
    unknownToolCode,
    load: new Load(settings),
    listenStreams: new ListenStreams(settings),
    closing: new Closing(),
  };
}

/**
 * Wraps a log sink. Counts the entries, and ignores errors and rejections of the sink, so that they do not fail a request
 * or crash the process.
 */
export function toQuietSink(log: LogSink, events: Services["events"]): LogSink {
  return (entry) => {
    events.set(entry.event, (events.get(entry.event) ?? 0) + 1);
    try {
      const done: unknown = log(entry);
      if (isPromise(done)) void done.then(undefined, () => undefined);
    } catch {
      // Ignore errors in the sink: they cannot be logged.
    }
  };
}
