/**
 * @fileoverview Area with live figures: gauges, sessions, streams, and tasks.
 * @module cli/page-app/views/activity/activity-view
 */
import { Table } from "@tenon/ui/components/collections/table.js";
import { Meter, Sparkline } from "@tenon/ui/components/data/meters.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import {
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatQuantity,
} from "@tenon/ui/support/format.js";
import { useMemo, useState } from "preact/hooks";
import type { Activity, Gauge, SessionSummary, TaskSummary } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { Section } from "../../components/list-pane.js";
import { ERA_LABELS } from "../../state/calls/call-facts.js";
import { toLabel } from "../../state/text.js";
import { Badge, type Tone } from "@tenon/ui/components/controls/badge.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { RouteLink } from "../../components/links.js";

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

function SessionTable({ label, sessions }: Pick<Activity, "sessions"> & { readonly label: string }) {
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

const STATUSES: Readonly<Record<TaskSummary["status"], { readonly label: string; readonly tone: Tone }>> = {
  working: { label: "Working", tone: "info" },
  input_required: { label: "Needs an answer", tone: "warning" },
  completed: { label: "Completed", tone: "success" },
  failed: { label: "Failed", tone: "danger" },
  cancelled: { label: "Cancelled", tone: "neutral" },
};

const MAX_SHOWN = 50;

/** Lists tasks, newest first. */
function TaskList() {
  const { store } = useApp();
  const [limit, setLimit] = useState(MAX_SHOWN);
  const tasks = [...store.tasks.value.values()].toReversed();
  if (tasks.length === 0) {
    return <p class="t-quiet">No tasks. A tool that takes long can run as a task, if it supports tasks.</p>;
  }
  return (
    <>
      <ul class="p-tasks">
        {tasks.slice(0, limit).map((task) => (
          <li key={task.id}>
            <TaskCard task={task} />
          </li>
        ))}
      </ul>
      {tasks.length > limit && (
        <Button onClick={() => setLimit(tasks.length)}>
          Show {formatQuantity(tasks.length - limit, "more task")}
        </Button>
      )}
    </>
  );
}

function TaskCard({ task }: { readonly task: TaskSummary }) {
  const { attempt } = useApp();
  const { label, tone } = STATUSES[task.status];
  const isOpen = task.status === "working" || task.status === "input_required";
  return (
    <article class="p-task" aria-label={`Task ${toLabel(task.id, 60)}`}>
      <div class="p-task__head">
        <Badge tone={tone} icon>
          {label}
        </Badge>
        <strong>{toLabel(task.tool ?? "Task", 100)}</strong>
        <code class="p-task__id">{toLabel(task.id, 60)}</code>
        <span class="p-task__actions">
          {task.callId !== undefined && (
            <RouteLink to={{ area: "calls", id: task.callId }}>Open the call</RouteLink>
          )}
          {isOpen && (
            <Button icon="stop" tone="danger" onClick={() => void attempt("cancel-task", { id: task.id })}>
              Cancel
            </Button>
          )}
        </span>
      </div>
      {task.statusMessage !== undefined && <p>{toLabel(task.statusMessage, 1_000)}</p>}
      {task.questionIds.map((id) => (
        <p key={id}>
          <RouteLink to={{ area: "questions", id }}>Answer the question</RouteLink>
        </p>
      ))}
      <p class="t-quiet">
        {[
          task.createdAt === undefined ? undefined : `Created ${toLabel(task.createdAt, 40)}`,
          task.updatedAt === undefined ? undefined : `updated ${toLabel(task.updatedAt, 40)}`,
        ]
          .filter((part) => part !== undefined)
          .join(", ")}
      </p>
    </article>
  );
}
