/**
 * @fileoverview Types of the page's state, for the type checker and the tests. Browsers never load this file.
 * @module examples/agent/page/types
 */

/** A WebSocket message in either direction. */
export interface Frame {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A conversation in the list. */
export interface TaskEntry {
  readonly taskId: string;
  readonly title: string;
  readonly updatedAt: string;
}

/** A subtask that runs in another conversation. */
export interface Part {
  readonly index: number;
  readonly taskId: string;
  readonly status: string;
  /** Description of the subtask, if known. */
  readonly label: string;
}

/** Content of a tool card. */
export interface ToolItem {
  readonly kind: "tool";
  readonly key: string;
  readonly name: string;
  readonly status: "writing" | "running" | "done" | "failed" | "interrupted";
  readonly params: unknown;
  /** Progress while the tool runs, then its message. */
  readonly text: string;
  readonly result: unknown;
  readonly error: string;
}

/** Text that may still grow. */
export interface TextItem {
  readonly kind: "message" | "think" | "completion";
  readonly key: string;
  readonly text: string;
  readonly isPartial: boolean;
  /** True if the text is incomplete. */
  readonly isCut: boolean;
}

/** An item of a conversation, from top to bottom. */
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

/** A message of the user, and its conversation. */
export interface Sent {
  readonly taskId: string;
  readonly message: string;
}

/** State of the page. */
export interface State {
  readonly connection: "connecting" | "open" | "lost";
  readonly tasks: readonly TaskEntry[];
  /** Id of the shown conversation. "" is a new one without an id. */
  readonly taskId: string;
  readonly isLoading: boolean;
  readonly items: readonly Item[];
  /** Conversations that are running. */
  readonly busy: ReadonlySet<string>;
  /** Reason why the last run of the shown conversation ended. "" if unknown. */
  readonly over: string;
  readonly isStopping: boolean;
  /** Message that was sent and is not acknowledged yet. */
  readonly sending: Sent | undefined;
  /** Text that was not delivered and returns to the input. */
  readonly returned: Sent | undefined;
  /** Parents of subtasks. */
  readonly parents: ReadonlyMap<string, string>;
  /** Number of keys that were generated here. */
  readonly made: number;
}
