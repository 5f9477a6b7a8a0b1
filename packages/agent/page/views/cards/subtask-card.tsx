/**
 * @fileoverview Subtasks of a task, with links to their conversations.
 * @module agent/page-app/views/cards/subtask-card
 */
import { Badge, type Tone } from "@tenon/ui/components/controls/badge.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import type { IconName } from "@tenon/ui/icons/shapes.js";
import { formatRoute } from "../../routes/route.js";
import type { SubtaskEntry } from "../../state/items/item.js";
import { toLabel } from "../../state/text.js";

interface Look {
  readonly label: string;
  readonly tone: Tone;
  readonly icon: IconName;
}

const LOOKS: Readonly<Record<string, Look>> = {
  completed: { label: "Done", tone: "success", icon: "success" },
  failed: { label: "Failed", tone: "danger", icon: "error" },
  interrupted: { label: "Stopped", tone: "neutral", icon: "stop" },
};

/** Subtasks and their statuses. */
export function SubtaskCard({ entries }: { readonly entries: readonly SubtaskEntry[] }) {
  return (
    <section class="a-subtasks" aria-label="Subtasks">
      <h3 class="a-subtasks__title">
        <Icon name="branch" /> Subtasks
      </h3>
      <ol>
        {entries.map((entry) => (
          <li key={entry.taskId} class="a-subtasks__entry" data-status={entry.status}>
            <a href={formatRoute({ taskId: entry.taskId })}>
              {entry.label === "" ? `Subtask ${entry.index + 1}` : toLabel(entry.label)}
            </a>
            <Status status={entry.status} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Status({ status }: Pick<SubtaskEntry, "status">) {
  const look = Object.hasOwn(LOOKS, status) ? LOOKS[status] : undefined;
  if (look === undefined)
    return (
      <span class="a-subtasks__running">
        <Spinner /> {status === "running" ? "Running" : toLabel(status, 30)}
      </span>
    );
  return (
    <Badge tone={look.tone} icon={look.icon}>
      {look.label}
    </Badge>
  );
}
