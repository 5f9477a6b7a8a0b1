/**
 * @fileoverview Area with live figures: gauges, sessions, streams, and tasks.
 * @module cli/page-app/views/activity/activity-view
 */
import { Table } from "@tenon/ui/components/collections/table.js";
import { Meter, Sparkline } from "@tenon/ui/components/data/meters.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { formatBytes, formatClock, formatCount, formatDuration } from "@tenon/ui/support/format.js";
import { useMemo } from "preact/hooks";
import type { Gauge, SessionSummary } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { Section } from "../../components/list-pane.js";
import { ERA_LABELS } from "../../state/calls/call-facts.js";
import { toLabel } from "../../state/text.js";
import { TaskList } from "./task-list.js";

/** Area with live figures. */
export function ActivityView() {
  const { sessions, gauges } = useApp().store.activity.value;
  const streams = useMemo(() => sessions.filter(isStream), [sessions]);
  const clients = useMemo(() => sessions.filter((session) => !isStream(session)), [sessions]);
  return (
    <div class="p-scroll" tabIndex={0} role="region" aria-label="Figures">
      <h2 class="t-hidden">Activity</h2>
      <Section title="Limits">
        <div class="p-gauges">
          {gauges.map((gauge) => (
            <GaugeCard key={gauge.id} gauge={gauge} />
          ))}
        </div>
        {gauges.length === 0 && <p class="t-quiet">No figures yet</p>}
      </Section>
      <Section title="Tasks">
        <TaskList />
      </Section>
      <Section title="Sessions">
        {clients.length === 0 ? (
          <NoSessions />
        ) : (
          <SessionTable label="Connected clients" sessions={clients} />
        )}
      </Section>
      <Section title="Streams">
        {streams.length === 0 ? (
          <p class="t-quiet">No client listens to changes.</p>
        ) : (
          <SessionTable label="Open streams" sessions={streams} />
        )}
      </Section>
    </div>
  );
}

function NoSessions() {
  const launch = useApp().store.launch.value;
  const endpoint = launch?.mode === "dev" ? launch.endpoint : undefined;
  return (
    <EmptyState title="No client is connected" icon="plug">
      {endpoint === undefined ? (
        <p>Clients with a session appear here.</p>
      ) : (
        <p>
          Connect a client to <code class="p-wrap">{toLabel(endpoint, 300)}</code>
        </p>
      )}
    </EmptyState>
  );
}

/** Clients of stateless revisions have no session, but a stream while they listen to changes. */
function isStream({ kind }: SessionSummary): boolean {
  return kind === "stream";
}

function GaugeCard({ gauge }: { readonly gauge: Gauge }) {
  const { store } = useApp();
  const values = store.history.value.get(gauge.id) ?? [];
  const format = formatOf(gauge);
  return (
    <div class="p-gauge">
      <Meter label={gauge.title} value={gauge.value} max={gauge.max} format={format}>
        {values.length > 1 && (
          <Sparkline
            label={`${gauge.title} in the last minutes, now ${format(gauge.value)}`}
            values={values}
          />
        )}
      </Meter>
    </div>
  );
}

function formatOf({ unit }: Gauge): (value: number) => string {
  if (unit === "bytes") return formatBytes;
  return unit === "ms" ? formatDuration : formatCount;
}

function SessionTable({
  label,
  sessions,
}: {
  readonly label: string;
  readonly sessions: readonly SessionSummary[];
}) {
  const rows = useMemo(
    () =>
      sessions.map(({ id, client, era, revision, calls, subscriptions, since }) => ({
        Client: toLabel(client, 100),
        ID: toLabel(id, 100),
        Era: ERA_LABELS[era],
        Revision: revision ?? "unknown",
        Calls: calls,
        Subscriptions: subscriptions,
        "Open since": formatClock(since).slice(0, 8),
      })),
    [sessions],
  );
  return <Table label={label} rows={rows} />;
}
