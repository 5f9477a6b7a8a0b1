/**
 * @fileoverview Items that a conversation shows. Most of them are one message.
 * @module agent/page-app/state/items/item
 */
import type { AgentFile, Approval, UserMessageOfTask } from "@tenon/agent/client";

/** Status of a tool call. */
export type ToolStatus = (typeof TOOL_STATUSES)[number];

/** Statuses of tool calls. */
export const TOOL_STATUSES = ["writing", "running", "done", "failed", "denied", "interrupted"] as const;

/** Message of the user. */
export interface UserItem {
  readonly kind: "user";
  readonly key: string;
  readonly text: string;
  readonly files: readonly AgentFile[];
  readonly time: number | undefined;
  readonly messageId: string | undefined;
  readonly delivery: UserMessageOfTask["delivery"];
}

/** Text of the model: a message, its thinking, or the result of the task. */
export interface TextItem {
  readonly kind: "text" | "think" | "result";
  readonly key: string;
  readonly text: string;
  readonly time: number | undefined;
  /** True while the model writes it. */
  readonly isPartial: boolean;
  /** True if the user has stopped the model before the end. */
  readonly isCut: boolean;
}

/** Tool call. */
export interface ToolItem {
  readonly kind: "tool";
  readonly key: string;
  readonly name: string;
  readonly status: ToolStatus;
  readonly params: unknown;
  /** Progress of a running call, or a summary of the result. */
  readonly text: string;
  readonly result: unknown;
  readonly error: string | undefined;
}

/** Subtask in a list. */
export interface SubtaskEntry {
  readonly taskId: string;
  readonly index: number;
  readonly status: string;
  /** Description from the call that has started the subtask. */
  readonly label: string;
}

/** Item of a conversation. */
export type Item =
  | UserItem
  | TextItem
  | ToolItem
  | { readonly kind: "file"; readonly key: string; readonly file: AgentFile }
  | { readonly kind: "approval"; readonly key: string; readonly approval: Approval }
  | {
      readonly kind: "question";
      readonly key: string;
      readonly text: string;
      readonly options: readonly string[];
    }
  | { readonly kind: "subtasks"; readonly key: string; readonly entries: readonly SubtaskEntry[] }
  | { readonly kind: "compaction"; readonly key: string; readonly summary: string }
  | {
      readonly kind: "notice";
      readonly key: string;
      readonly tone: "info" | "warning" | "danger";
      readonly text: string;
    };

/** Item of one kind. */
export type ItemOf<Kind extends Item["kind"]> = Extract<Item, { readonly kind: Kind }>;
