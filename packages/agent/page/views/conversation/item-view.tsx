/**
 * @fileoverview Item of a conversation.
 * @module agent/page-app/views/conversation/item-view
 */
import type { VNode } from "preact";
import { FileView } from "../../components/file-view.js";
import type { Item, ItemOf, TextItem } from "../../state/items/item.js";
import { ApprovalCard } from "../cards/approval-card.js";
import { QuestionCard } from "../cards/question-card.js";
import { SubtaskCard } from "../cards/subtask-card.js";
import { ToolCard } from "../cards/tool-card.js";
import { ResponseText } from "./response-text.js";
import { UserMessage } from "./user-message.js";
import { Markdown } from "@tenon/ui/markdown/markdown.js";
import { Fold } from "../../components/fold.js";
import { useThrottled } from "../../components/hooks.js";
import { Note } from "@tenon/ui/components/controls/badge.js";

/** Properties of `ItemView`. */
export interface ItemViewProps {
  readonly item: Item;
  readonly isLast: boolean;
  /** True if the user can react to the item now. */
  readonly canAct: boolean;
  readonly taskId: string;
  readonly onAnswer: (text: string) => void;
}

/** Item of a conversation. */
export function ItemView(props: ItemViewProps) {
  return (
    <div class="a-item" data-kind={props.item.kind}>
      <ItemContent {...props} />
    </div>
  );
}

function ItemContent({ item, isLast, canAct, taskId, onAnswer }: ItemViewProps): VNode {
  switch (item.kind) {
    case "user":
      return <UserMessage item={item} taskId={taskId} />;
    case "text":
    case "result":
      return <ResponseText item={item} isLast={isLast} canAct={canAct} taskId={taskId} />;
    case "think":
      return <Thinking item={item} isLast={isLast} />;
    case "tool":
      return <ToolCard item={item} />;
    case "file":
      return <FileView file={item.file} />;
    case "approval":
      return <ApprovalCard approval={item.approval} />;
    case "question":
      return <QuestionCard item={item} canAnswer={canAct} onAnswer={onAnswer} />;
    case "subtasks":
      return <SubtaskCard entries={item.entries} />;
    case "compaction":
      return <CompactionNotice summary={item.summary} />;
    case "notice":
      return <NoticeLine item={item} />;
  }
}

/** Thinking of the model. The text is rendered only while it is open. */
function Thinking({ item, isLast }: { readonly item: TextItem; readonly isLast: boolean }) {
  const isLive = item.isPartial && isLast;
  return (
    <Fold class="a-think" icon="spark" summary={isLive ? "Thinking…" : "Thought"} isLive={isLive}>
      {() => <ThinkingText item={item} />}
    </Fold>
  );
}

function ThinkingText({ item }: { readonly item: TextItem }) {
  return <Markdown text={useThrottled(item.text, item.isPartial)} />;
}

const MAX_SHOWN = 4_000;

/** Notice. One that only informs is a quiet line. */
function NoticeLine({ item }: { readonly item: ItemOf<"notice"> }) {
  const { tone, text } = item;
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  if (tone === "info")
    return (
      <p class="a-notice">
        <span>{shown}</span>
      </p>
    );
  return (
    <Note tone={tone}>
      <span class="a-notice__text">{shown}</span>
    </Note>
  );
}

/** Tells that the model sees a summary instead of the earlier messages. */
function CompactionNotice({ summary }: { readonly summary: string }) {
  return (
    <Fold class="a-compaction" icon="compress" summary="Earlier messages were summarized for the model">
      {() => <Markdown text={summary} />}
    </Fold>
  );
}
