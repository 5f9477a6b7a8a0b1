/**
 * @fileoverview Tasks: calls that continue after their request.
 * @module cli/page-app/views/activity/task-list
 */
import { Badge, type Tone } from "@tenon/ui/components/controls/badge.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import { useState } from "preact/hooks";
import type { TaskSummary } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { RouteLink } from "../../components/links.js";
import { toLabel } from "../../state/text.js";

const STATUSES: Readonly<Record<TaskSummary["status"], { readonly label: string; readonly tone: Tone }>> = {
  working: { label: "Working", tone: "info" },
  input_required: { label: "Needs an answer", tone: "warning" },
  completed: { label: "Completed", tone: "success" },
  failed: { label: "Failed", tone: "danger" },
  cancelled: { label: "Cancelled", tone: "neutral" },
};

const MAX_SHOWN = 50;

/** Lists tasks, newest first. */
export function TaskList() {
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
