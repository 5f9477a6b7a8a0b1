/**
 * @fileoverview Thinking of the model. It is closed at first.
 * @module agent/page-app/views/conversation/thinking
 */
import { Markdown } from "@tenon/ui/markdown/markdown.js";
import { Fold } from "../../components/fold.js";
import { useThrottled } from "../../components/hooks.js";
import type { TextItem } from "../../state/items/item.js";

/** Properties of `Thinking`. */
export interface ThinkingProps {
  readonly item: TextItem;
  readonly isLast: boolean;
}

/** Thinking of the model. The text is rendered only while it is open. */
export function Thinking({ item, isLast }: ThinkingProps) {
  const isLive = item.isPartial && isLast;
  return (
    <Fold class="a-think" icon="spark" summary={isLive ? "Thinking…" : "Thought"} isLive={isLive}>
      {() => <ThinkingText item={item} />}
    </Fold>
  );
}

function ThinkingText({ item }: Pick<ThinkingProps, "item">) {
  return <Markdown text={useThrottled(item.text, item.isPartial)} />;
}
