/**
 * @fileoverview The types of the page's state. Browsers never see this file: it is for the checker and the tests.
 * @module examples/agent/page/types
 */

/** A message on the WebSocket, either way. */
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

/** A part of a task that another conversation works on. */
export interface Part {
  readonly index: number;
  readonly taskId: string;
  readonly status: string;
  /** What it is to do, where that is known. */
  readonly label: string;
}

/** What a tool card shows. */
export interface ToolItem {
  readonly kind: "tool";
  readonly key: string;
  readonly name: string;
  readonly status: "writing" | "running" | "done" | "failed" | "interrupted";
  readonly params: unknown;
  /** Progress while it runs, its own sentence after that. */
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
  /** It ended before the model was done. */
  readonly isCut: boolean;
}

/** One thing in a conversation, from top to bottom. */
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

/** A message of the user, and where it belongs. */
export interface Sent {
  readonly taskId: string;
  readonly message: string;
}

/** All that the page knows. */
export interface State {
  readonly connection: "connecting" | "open" | "lost";
  readonly tasks: readonly TaskEntry[];
  /** The conversation that is shown; "" is a new one that has no name yet. */
  readonly taskId: string;
  readonly isLoading: boolean;
  readonly items: readonly Item[];
  /** Conversations that are known to run. */
  readonly busy: ReadonlySet<string>;
  /** Why the last run of the shown conversation ended; "" where that is unknown. */
  readonly over: string;
  readonly isStopping: boolean;
  /** What was sent and not confirmed yet. */
  readonly sending: Sent | undefined;
  /** Text that did not get through and belongs back in the box. */
  readonly returned: Sent | undefined;
  /** The whole of which a conversation is a part. */
  readonly parents: ReadonlyMap<string, string>;
  /** How many keys were made up here. */
  readonly made: number;
}
