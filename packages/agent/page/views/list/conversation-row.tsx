/**
 * @fileoverview Conversation in the list, with its actions.
 * @module agent/page-app/views/list/conversation-row
 */
import type { TaskSummary } from "@tenon/agent/client";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { Menu } from "@tenon/ui/components/navigation/menu.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { splitMatches } from "@tenon/ui/support/highlight.js";
import { useApp } from "../../app-context.js";
import { formatRoute } from "../../routes/route.js";
import { toLabel } from "../../state/text.js";

/** Action of the user on a conversation. */
export interface RowAction {
  readonly kind: "rename" | "delete";
  readonly task: TaskSummary;
}

/** Properties of `ConversationRow`. */
export interface ConversationRowProps {
  readonly task: TaskSummary;
  readonly isCurrent: boolean;
  readonly onAction: (action: RowAction) => void;
}

/** Conversation in the list. */
export function ConversationRow({ task, isCurrent, onAction }: ConversationRowProps) {
  const { link } = useApp();
  const title = toLabel(task.title);
  const canWrite = link.state.value.user?.canWrite !== false;
  const select = (kind: RowAction["kind"]) => () => onAction({ kind, task });
  return (
    <li class="a-row" data-current={isCurrent}>
      <a
        class="a-row__link"
        href={formatRoute({ taskId: task.taskId })}
        aria-current={isCurrent ? "page" : undefined}
        title={title}
      >
        <span class="a-row__text">{title}</span>
        {task.excerpt !== undefined && <Excerpt text={task.excerpt} />}
        <RowState taskId={task.taskId} />
      </a>
      {canWrite && (
        <span class="a-row__menu">
          <Menu
            label={`Actions for ${title}`}
            items={[
              { id: "rename", label: "Rename", icon: "edit", onSelect: select("rename") },
              { id: "delete", label: "Delete", icon: "trash", isDangerous: true, onSelect: select("delete") },
            ]}
          />
        </span>
      )}
    </li>
  );
}

/** Shows that a conversation runs or waits for a decision. Only open conversations are known to do so. */
function RowState({ taskId }: { readonly taskId: string }) {
  const task = useApp().link.state.value.open.get(taskId);
  if (task === undefined) return null;
  if (task.approvals.length > 0)
    return (
      <span class="a-row__state" data-tone="warning">
        <Icon name="shield" label="Waits for your approval" />
      </span>
    );
  return task.isRunning ? (
    <span class="a-row__state">
      <Spinner label="Running" />
    </span>
  ) : null;
}

/** Part of a message that contains words of the search. */
function Excerpt({ text }: { readonly text: string }) {
  const { conversations } = useApp();
  const [word = ""] = conversations.search.value.trim().split(/\s+/);
  return (
    <span class="a-row__excerpt">
      {splitMatches(toLabel(text), word).map((part, index) =>
        part.isMatch ? <mark key={index}>{part.text}</mark> : part.text,
      )}
    </span>
  );
}
