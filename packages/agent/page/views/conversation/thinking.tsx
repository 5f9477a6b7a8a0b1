/**
 * @fileoverview Thinking of the model. It is closed at first.
 * @module agent/page-app/views/conversation/thinking
 */
import { Icon } from "@tenon/ui/icons/icon.js";
import { Markdown } from "@tenon/ui/markdown/markdown.js";
import { useState } from "preact/hooks";
import { useThrottled } from "../../components/hooks.js";
import type { TextItem } from "../../state/items/item.js";

/** Properties of `Thinking`. */
export interface ThinkingProps {
  readonly item: TextItem;
  readonly isLast: boolean;
}

/** Thinking of the model. The text is rendered only while it is open. */
export function Thinking({ item, isLast }: ThinkingProps) {
  const [isOpen, setIsOpen] = useState(false);
  const isLive = item.isPartial && isLast;
  return (
    <details class="a-think" data-live={isLive} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="spark" />
        <span>{isLive ? "Thinking…" : "Thought"}</span>
        <Icon name="chevron-right" />
      </summary>
      {isOpen && <ThinkingText item={item} />}
    </details>
  );
}

function ThinkingText({ item }: Pick<ThinkingProps, "item">) {
  const text = useThrottled(item.text, item.isPartial);
  return (
    <div class="a-think__text">
      <Markdown text={text} />
    </div>
  );
}
