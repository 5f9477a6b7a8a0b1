/**
 * @fileoverview Text of the model as Markdown, with its tokens.
 * @module agent/page-app/views/conversation/response-text
 */
import { IconButton } from "@tenon/ui/components/controls/button.js";
import { CopyButton } from "@tenon/ui/components/controls/copy-button.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { Markdown } from "@tenon/ui/markdown/markdown.js";
import { useApp } from "../../app-context.js";
import { useThrottled } from "../../components/hooks.js";
import { formatTime } from "../../state/dates.js";
import type { TextItem } from "../../state/items/item.js";
import { describeUsage } from "../../state/usage.js";
import { useSending } from "../composer/use-sending.js";

/** Properties of `ResponseText`. */
export interface ResponseTextProps {
  readonly item: TextItem;
  readonly isLast: boolean;
  /** True if the user can write a message now. */
  readonly canAct: boolean;
  readonly taskId: string;
}

/** Message of the model, or the result of the task. */
export function ResponseText({ item, isLast, canAct, taskId }: ResponseTextProps) {
  const text = useThrottled(item.text, item.isPartial);
  const isResult = item.kind === "result";
  return (
    <article
      class="a-response"
      aria-label={isResult ? "Result" : "Response"}
      data-result={isResult}
      data-streaming={item.isPartial}
    >
      {isResult && (
        <p class="a-response__badge">
          <Icon name="success" /> Task completed
        </p>
      )}
      <Markdown text={text} headingLevel={1} />
      {!item.isPartial && (
        <div class="a-response__foot">
          {item.isCut && <span class="a-response__cut">Stopped before the end</span>}
          <span class={isLast || isResult ? "a-actions" : "a-actions a-hover"}>
            <CopyButton text={item.text} label="Copy response" />
            {canAct && <AgainButton />}
            <span>{formatTime(item.time)}</span>
            <UsageText taskId={taskId} itemKey={item.key} />
          </span>
        </div>
      )}
    </article>
  );
}

function AgainButton() {
  const { sendAgain } = useSending();
  return <IconButton icon="repeat" label="Send the last message again" onClick={sendAgain} />;
}

/** Tokens of the response that ended with this message. */
function UsageText({ taskId, itemKey }: { readonly taskId: string; readonly itemKey: string }) {
  const usage = useApp()
    .link.usages.value.get(taskId)
    ?.findLast(({ key }) => key === itemKey);
  if (usage === undefined) return null;
  const text = describeUsage(usage.response);
  return text === "" ? null : (
    <span title={usage.isEstimated === true ? "Estimated" : undefined}>
      {usage.isEstimated === true ? `about ${text}` : text}
    </span>
  );
}
