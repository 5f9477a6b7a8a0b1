/**
 * @fileoverview Item of a conversation.
 * @module agent/page-app/views/conversation/item-view
 */
import type { VNode } from "preact";
import { FileView } from "../../components/file-view.js";
import type { Item } from "../../state/items/item.js";
import { ApprovalCard } from "../cards/approval-card.js";
import { QuestionCard } from "../cards/question-card.js";
import { SubtaskCard } from "../cards/subtask-card.js";
import { ToolCard } from "../cards/tool-card.js";
import { CompactionNotice, NoticeLine } from "./notices.js";
import { ResponseText } from "./response-text.js";
import { Thinking } from "./thinking.js";
import { UserMessage } from "./user-message.js";

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
      return <NoticeLine tone={item.tone} text={item.text} />;
  }
}
