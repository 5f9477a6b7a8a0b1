/**
 * @fileoverview Messages of a conversation. Only the latest ones are rendered at first, so long conversations open fast. The
 * list follows the end while the user is there.
 * @module agent/page-app/views/conversation/message-list
 */
import type { TaskState } from "@tenon/agent/client";
import { Button } from "@tenon/ui/components/controls/button.js";
import { formatCount } from "@tenon/ui/support/format.js";
import { useLatest } from "@tenon/ui/support/use-latest.js";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import type { Item } from "../../state/items/item.js";
import { toItems } from "../../state/items/to-items.js";
import { ItemView, type ItemViewProps } from "./item-view.js";
import { useFollow } from "./use-follow.js";

/** Properties of `MessageList`. */
export interface MessageListProps {
  readonly task: TaskState;
  /** Sends the answer to a question. */
  readonly onAnswer: (text: string) => void;
}

/** Items that are rendered at first, and added by each click. */
const PAGE = 80;

/** Messages of a conversation. */
export function MessageList({ task, onAnswer }: MessageListProps) {
  const items = useMemo(() => toItems(task.messages), [task.messages]);
  const [limit, setLimit] = useState(PAGE);
  const follow = useFollow(task.messages);
  const hidden = Math.max(0, items.length - limit);
  const height = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    // Earlier messages are added above, so the visible ones keep their place.
    const scroller = follow.scroller.current;
    if (scroller !== null && height.current !== undefined)
      scroller.scrollTop += scroller.scrollHeight - height.current;
    height.current = undefined;
  }, [limit]);
  return (
    <>
      <div ref={follow.scroller} class="a-scroller" onScroll={follow.onScroll}>
        <div ref={follow.content} class="a-items" role="log" aria-live="off" aria-label="Messages">
          <h2 class="t-hidden">Messages</h2>
          {hidden > 0 && (
            <Button
              class="a-items__earlier"
              tone="quiet"
              icon="chevron-up"
              onClick={() => {
                height.current = follow.scroller.current?.scrollHeight;
                setLimit(limit + PAGE);
              }}
            >
              {`Show earlier messages (${formatCount(hidden)})`}
            </Button>
          )}
          <Items items={items.slice(hidden)} task={task} onAnswer={onAnswer} />
          {task.isRunning && <Working items={items} />}
        </div>
      </div>
      {follow.isAway && (
        <div class="a-latest">
          <Button icon="arrow-down" onClick={follow.toEnd}>
            Latest
          </Button>
        </div>
      )}
    </>
  );
}

interface ItemsProps extends MessageListProps {
  readonly items: readonly Item[];
}

function Items({ items, task, onAnswer }: ItemsProps) {
  const { canWrite } = useApp();
  const isIdle = !task.isRunning && canWrite.value;
  const last = items.at(-1)?.key;
  const answer = useLatest(onAnswer);
  return (
    <>
      {items.map((item) => (
        <StableItem
          key={item.key}
          item={item}
          isLast={item.key === last}
          canAct={isIdle && item.key === last}
          taskId={task.taskId}
          onAnswer={answer}
        />
      ))}
    </>
  );
}

interface StableItemProps extends Omit<ItemViewProps, "onAnswer"> {
  readonly onAnswer: { readonly current: (text: string) => void };
}

/** Renders an item again only if it has changed, because the other items change often while a text streams. */
function StableItem({ onAnswer, ...props }: StableItemProps) {
  return useMemo(
    () => <ItemView {...props} onAnswer={(text) => onAnswer.current(text)} />,
    [props.item, props.isLast, props.canAct, props.taskId],
  );
}

/** Shows that the agent works, until the next text or card shows it. */
function Working({ items }: { readonly items: readonly Item[] }) {
  const last = items.at(-1);
  const isShown =
    (last?.kind === "text" || last?.kind === "think" || last?.kind === "result") && last.isPartial;
  const isCall = last?.kind === "tool" && (last.status === "writing" || last.status === "running");
  if (isShown || isCall) return null;
  return (
    <p class="a-working">
      <i />
      <i />
      <i />
      <span class="t-hidden">The agent is working.</span>
    </p>
  );
}
