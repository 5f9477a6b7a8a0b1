/**
 * @fileoverview Live figures of `tenon dev`: sessions, streams, calls, processes, and memory.
 * @module cli/page/bridge/dev-activity
 */
import { isJsonObject } from "@tenon/internal/json";
import { META, MODERN_REVISIONS } from "tenon/protocol";
import type { Generations } from "../../dev/generation/generations.js";
import { type DevProxy, MAX_WAITING, type ProxyActivity } from "../../dev/proxy/dev-proxy.js";
import type { OpenCall } from "../../dev/proxy/open-call.js";
import { readRecordGauges } from "../gauges/activity-timer.js";
import type { Activity, Gauge, SessionSummary } from "../protocol.js";
import type { CallStore } from "../record/call-store.js";
import { toLabel } from "../record/limits.js";

/** Parts of the command that have figures. */
export interface DevParts {
  readonly proxy: DevProxy;
  readonly generations: Generations;
}

/** Reads the figures. */
export async function readDevActivity({ proxy, generations }: DevParts, store: CallStore): Promise<Activity> {
  const memory = await generations.current?.readMemory();
  const { activity } = proxy;
  const gauges: readonly Gauge[] = [
    { id: "sessions", title: "Sessions", value: activity.clients.length },
    { id: "streams", title: "Streams", value: activity.streams.length },
    { id: "calls", title: "Calls in flight", value: activity.calls, unit: "calls" },
    {
      id: "waiting",
      title: "Waiting for the server",
      value: activity.waiting,
      max: MAX_WAITING,
      unit: "calls",
    },
    { id: "processes", title: "Server processes", value: generations.liveCount },
    ...(memory === undefined
      ? []
      : [{ id: "memory", title: "Memory of the server", value: roundBytes(memory), unit: "bytes" } as const]),
    ...readRecordGauges(store),
  ];
  return { sessions: toSessions(activity), gauges };
}

/** Rounds to a tenth of a megabyte, so that the figure does not change all the time. */
function roundBytes(bytes: number): number {
  return Math.round(bytes / 104_858) * 104_858;
}

const UNKNOWN = "Unknown client";

function toSessions({ clients, streams }: ProxyActivity): readonly SessionSummary[] {
  const sessions = clients.map(({ client, calls }): SessionSummary => {
    const { id, name = UNKNOWN, connection, subscriptions, since } = client;
    const { era = "legacy", revision } = connection;
    const count = subscriptions.length;
    return {
      id: String(id),
      kind: "session",
      client: toLabel(name, 100),
      era,
      revision,
      calls,
      subscriptions: count,
      since,
    };
  });
  return [...sessions, ...streams.map(toStream)].slice(0, MAX_SESSIONS);
}

const MAX_SESSIONS = 500;

/** Stateless clients have no session, but a stream while they listen to changes. */
function toStream({ number, message, filter, since }: OpenCall): SessionSummary {
  const meta = isJsonObject(message.params?.["_meta"]) ? message.params["_meta"] : {};
  const info = meta[META.clientInfo];
  const name = isJsonObject(info) && typeof info["name"] === "string" ? info["name"] : UNKNOWN;
  const uris = filter["resourceSubscriptions"];
  return {
    id: `stream-${number}`,
    kind: "stream",
    client: toLabel(name, 100),
    era: "modern",
    revision: MODERN_REVISIONS.find((one) => one === meta[META.protocolVersion]),
    calls: 0,
    subscriptions: Array.isArray(uris) ? uris.length : 0,
    since,
  };
}
