/**
 * @fileoverview Tokens of the last response, the last run, and the whole conversation.
 * @module agent/page-app/views/usage/usage-dialog
 */
import type { TaskState, TokenUsage } from "@tenon/agent/client";
import { KeyValueList } from "@tenon/ui/components/data/key-value.js";
import { Meter } from "@tenon/ui/components/data/meters.js";
import { Dialog } from "@tenon/ui/components/overlay/dialog.js";
import { formatCount } from "@tenon/ui/support/format.js";
import { useApp } from "../../app-context.js";
import { usageRows } from "../../state/usage.js";

/** Properties of `UsageDialog`. */
export interface UsageDialogProps {
  readonly task: TaskState;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Tokens of a conversation. */
export function UsageDialog({ task, isOpen, onClose }: UsageDialogProps) {
  const { link } = useApp();
  const last = link.usages.value.get(task.taskId)?.at(-1);
  const parts: readonly (readonly [string, TokenUsage | undefined])[] = [
    ["Last response", last?.response],
    ["Last run", last?.run],
    ["Whole conversation", task.usage ?? last?.task],
  ];
  return (
    <Dialog title="Tokens" isOpen={isOpen} onClose={onClose} class="a-dialog">
      <div class="a-usage">
        {task.contextTokens !== undefined && (
          <Meter
            label="Length of the conversation"
            value={task.contextTokens}
            max={task.contextWindow}
            format={formatCount}
          />
        )}
        {parts.map(([title, usage]) => usage && <UsagePart key={title} title={title} usage={usage} />)}
        {last?.isEstimated === true && (
          <p class="t-quiet">The model does not report its tokens. The numbers are estimates.</p>
        )}
      </div>
    </Dialog>
  );
}

function UsagePart({ title, usage }: { readonly title: string; readonly usage: TokenUsage }) {
  const rows = usageRows(usage);
  if (rows.length === 0) return null;
  return (
    <section class="a-usage__part">
      <h3>{title}</h3>
      <KeyValueList entries={rows.map(([name, value]) => ({ name, value }))} />
    </section>
  );
}
