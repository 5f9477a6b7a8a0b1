/**
 * @fileoverview Restores a task from its log: the messages for clients, the messages for the model, and the status. If
 * the server crashed during a run, the task is restored as interrupted.
 * @module agent/conversation/fold-entries
 */
import type { ModelMessage, NativeCall } from "../../models/model-port.js";
import type { ShownMessage, TaskEntry, TaskStatus } from "../../storage/task-entry.js";

/** State of a restored task. */
export interface FoldedTask {
  readonly shown: readonly ShownMessage[];
  readonly messages: readonly ModelMessage[];
  readonly status: TaskStatus;
  /** Latest `updateTime` in the log, or 0. */
  readonly lastTime: number;
}

/** Restores a task from its log entries. */
export function foldEntries(entries: readonly TaskEntry[]): FoldedTask {
  const shown = new Map<string, ShownMessage>();
  const messages: ModelMessage[] = [];
  const open = new OpenCalls();
  let status: TaskStatus = "idle";
  let lastTime = 0;
  for (const [index, entry] of entries.entries()) {
    if (entry.status !== undefined) status = entry.status;
    if (entry.shown !== undefined) {
      const { updateTime } = entry.shown.data;
      // A later entry for the same message replaces the earlier one.
      shown.set(
        typeof updateTime === "number" ? `${entry.shown.type} ${updateTime}` : `#${index}`,
        entry.shown,
      );
      if (typeof updateTime === "number") lastTime = Math.max(lastTime, updateTime);
      open.noteShown(entry.shown);
    }
    if (entry.model === undefined) continue;
    if (entry.model.role !== "tool") messages.push(...open.takeResults());
    open.noteMessage(entry.model, entry.calls);
    messages.push(entry.model);
  }
  const isCutOff = status === "streaming" || status === "tool_executing";
  messages.push(...open.takeResults());
  return {
    shown: Array.from(shown.values(), endPartial),
    messages,
    status: isCutOff ? "aborted" : status,
    lastTime,
  };
}

const NOT_RUN = "The server stopped before this call started.";
const CUT_OFF = "The server stopped before this call finished. The call may have taken effect.";

/** Creates the missing results for native calls at the end of a conversation. */
export function missingResults(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const open = new OpenCalls();
  for (const message of messages) open.noteMessage(message, undefined);
  return open.takeResults();
}

/** Tracks calls that do not have a result in the log. */
class OpenCalls {
  /** Tool name of an open XML call. */
  #tool: string | undefined;
  #isBegun = false;
  #calls: readonly NativeCall[] = [];

  noteShown({ type, data }: ShownMessage): void {
    if (type !== "tool") return;
    const { toolName, partial } = data;
    this.#isBegun = partial === true;
    this.#tool = this.#isBegun && typeof toolName === "string" ? toolName : undefined;
  }

  noteMessage(message: ModelMessage, tool: string | undefined): void {
    this.#tool = tool;
    this.#isBegun = false;
    if (message.role === "assistant") this.#calls = message.calls ?? [];
    if (message.role === "tool") this.#calls = this.#calls.filter(({ id }) => id !== message.callId);
  }

  /** Creates a result for each open call. Every call in the model's conversation requires a result. */
  takeResults(): readonly ModelMessage[] {
    const calls = this.#calls;
    const toolName = this.#tool;
    this.#calls = [];
    this.#tool = undefined;
    if (calls.length > 0) {
      return calls.map(({ id, name }) => ({ role: "tool", toolName: name, callId: id, content: CUT_OFF }));
    }
    const content = this.#isBegun ? CUT_OFF : NOT_RUN;
    return toolName === undefined ? [] : [{ role: "tool", toolName, content }];
  }
}

/** Sets the status of a message to `interrupted` if it was still streaming when the server stopped. */
function endPartial(message: ShownMessage): ShownMessage {
  const { partial, ...data } = message.data;
  return partial === true ? { type: message.type, data: { ...data, status: "interrupted" } } : message;
}
