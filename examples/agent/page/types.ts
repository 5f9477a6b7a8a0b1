/**
 * @fileoverview Types for the page's state, used by the type checker and the tests. Browsers never load this file.
 * @module examples/agent/page/types
 */

/** WebSocket message, in either direction. */
export interface Frame {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Conversation as it appears in the list. */
export interface TaskEntry {
  readonly taskId: string;
  readonly title: string;
  readonly updatedAt: string;
}

/** Subtask that runs in its own conversation. */
export interface Part {
  readonly index: number;
  readonly taskId: string;
  readonly status: string;
  /** Description of the subtask, if known. */
  readonly label: string;
}

/** Tool call, shown as a card. */
export interface ToolItem {
  readonly kind: "tool";
  readonly key: string;
  readonly name: string;
  readonly status: "writing" | "running" | "done" | "failed" | "interrupted";
  readonly params: unknown;
  /** Progress while the tool runs. Afterward, the tool's message. */
  readonly text: string;
  readonly result: unknown;
  readonly error: string;
}

/** Text from the model. More text may arrive while `isPartial` is true. */
export interface TextItem {
  readonly kind: "message" | "think" | "completion";
  readonly key: string;
  readonly text: string;
  readonly isPartial: boolean;
  /** True if the user stopped the agent before the text was complete. */
  readonly isCut: boolean;
}

/** Entry in a conversation. */
export type Item =
  | { readonly kind: "user"; readonly key: string; readonly text: string; readonly isPending: boolean }
  | TextItem
  | ToolItem
  | {
      readonly kind: "question";
      readonly key: string;
      readonly text: string;
      readonly options: readonly string[];
    }
  | { readonly kind: "parts"; readonly key: string; readonly parts: readonly Part[] }
  | {
      readonly kind: "notice";
      readonly key: string;
      readonly severity: "info" | "warning" | "error";
      readonly text: string;
    };

/** The user's message and its conversation. */
export interface Sent {
  readonly taskId: string;
  readonly message: string;
}

/** The page's complete state. */
export interface State {
  readonly connection: "connecting" | "open" | "lost";
  readonly tasks: readonly TaskEntry[];
  /** ID of the shown conversation, or "" for a new conversation that does not have an ID yet. */
  readonly taskId: string;
  readonly isLoading: boolean;
  readonly items: readonly Item[];
  /** Conversations that are running. */
  readonly busy: ReadonlySet<string>;
  /** Reason the shown conversation's last run ended, or "" if unknown. */
  readonly over: string;
  readonly isStopping: boolean;
  /** Message that the server has not acknowledged yet. */
  readonly sending: Sent | undefined;
  /** Undelivered message whose text returns to the input. */
  readonly returned: Sent | undefined;
  /** Parent conversation of each subtask, by conversation ID. */
  readonly parents: ReadonlyMap<string, string>;
  /** Number of item keys that the page has generated itself. */
  readonly made: number;
}
