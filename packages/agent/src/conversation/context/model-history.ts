/**
 * @fileoverview Messages of a task for the model, built from log entries. Every call gets a result, and results are in
 * the order of their calls.
 * @module agent/conversation/context/model-history
 */
import type { ContentPart, ModelMessage, NativeCall } from "../../models/model-port.js";
import type { CallBegan, Compaction, ShownMessage, TaskEntry } from "../../storage/task-entry.js";
import { escapeResultTags } from "../../xml/tool-result.js";

/** Call that does not have a result. */
export interface OpenCall extends CallBegan {
  /** True if the tool started, so that the call may have taken effect. A call that did not start can be run. */
  readonly hasBegun: boolean;
}

/** Messages for the model. Text from users and tools cannot contain the tag of a tool's result. */
export class ModelHistory {
  #items: HistoryItem[] = [];
  readonly #open = new OpenCalls();
  #summary: ModelMessage | undefined;
  #entryCount = 0;

  constructor(entries: readonly TaskEntry[]) {
    for (const entry of entries) this.add(entry);
  }

  /** Summary and messages, in order. */
  get messages(): readonly ModelMessage[] {
    const messages = this.#items.map(({ message }) => message);
    return this.#summary === undefined ? messages : [this.#summary, ...messages];
  }

  /** Calls of the last response that do not have a result. */
  get openCalls(): readonly OpenCall[] {
    return this.#open.all;
  }

  /** Adds the next entry of the log. A message that is not a result gives every open call a result first. */
  add({ shown, model, calls, callBegan, compaction }: TaskEntry): void {
    const index = this.#entryCount++;
    if (callBegan !== undefined) this.#open.noteBegan(callBegan);
    else if (shown !== undefined) this.#open.noteShown(shown);
    if (compaction !== undefined) this.#compact(compaction, index);
    if (model === undefined) return;
    if (model.role !== "tool") this.#close(this.#open.all, index - 1);
    const place = model.role === "tool" ? this.#placeOf(model.callId) : this.#items.length;
    this.#open.noteMessage(model, calls);
    this.#items.splice(place, 0, { message: escapeMessage(model), index });
  }

  /** Adds results for open calls: for all of them, or only for those that started. */
  closeCalls(which: "all" | "begun"): void {
    const calls = this.#open.all.filter(({ hasBegun }) => which === "all" || hasBegun);
    this.#close(calls, this.#entryCount - 1);
  }

  /**
   * Returns the messages up to a position, and the number of log entries that they come from. The position counts from
   * the first message in `messages`.
   */
  before(position: number): { readonly messages: readonly ModelMessage[]; readonly upTo: number } {
    const offset = this.#summary === undefined ? 0 : 1;
    const next = this.#items[position - offset];
    return { messages: this.messages.slice(0, position), upTo: next?.index ?? this.#entryCount };
  }

  #close(calls: readonly OpenCall[], index: number): void {
    for (const call of calls) {
      const message = toResult(call);
      this.#items.splice(this.#placeOf(call.callId), 0, { message, index });
      this.#open.noteMessage(message, undefined);
    }
  }

  /** Returns the position for a result. Parallel calls can end in any order, but their results are in call order. */
  #placeOf(callId: string | undefined): number {
    const rank = this.#open.rankOf(callId);
    let place = this.#items.length;
    for (; place > 0; place--) {
      const before = this.#items[place - 1]?.message;
      if (before?.role !== "tool" || this.#open.rankOf(before.callId) < rank) break;
    }
    return place;
  }

  /** Replaces the start of the conversation by a summary. A result never stays without its call. */
  #compact({ summary, upTo }: Compaction, index: number): void {
    this.#summary = escapeMessage(toSummaryMessage(summary));
    const end = Math.min(upTo, index);
    const kept = this.#items.filter((item) => item.index >= end);
    const first = kept.findIndex(({ message }) => message.role !== "tool");
    this.#items = first === -1 ? [] : kept.slice(first);
    if (this.#items.length === 0) this.#open.clear();
  }
}

/** Creates the message that stands for the summarized part of a conversation. */
export function toSummaryMessage(summary: string): ModelMessage {
  return { role: "user", content: `Summary of the conversation so far:\n\n${summary}` };
}

/** Message and the index of its log entry. */
interface HistoryItem {
  readonly message: ModelMessage;
  readonly index: number;
}

const NOT_RUN = "The run ended before this call started. The call had no effect and can be made again.";
const CUT_OFF = "The run ended before this call finished. The call may have taken effect.";

/** Calls of the last response, and those of them that do not have a result. */
class OpenCalls {
  /** Open XML call. A response has at most one. */
  #inTags: OpenCall | undefined;
  /** Open native calls. */
  #calls: readonly OpenNativeCall[] = [];
  /** Positions of the native calls of the last response. */
  #ranks: ReadonlyMap<string, number> = new Map();

  get all(): readonly OpenCall[] {
    if (this.#calls.length > 0) return this.#calls;
    return this.#inTags === undefined ? [] : [this.#inTags];
  }

  rankOf(callId: string | undefined): number {
    return (callId === undefined ? undefined : this.#ranks.get(callId)) ?? this.#ranks.size;
  }

  /** Notes that a tool started. */
  noteBegan({ toolName, callId }: CallBegan): void {
    if (callId === undefined) this.#inTags = { toolName, hasBegun: true };
    else this.#markBegun(this.#calls.find((call) => call.callId === callId));
  }

  /** Notes a card. In logs without `callBegan`, the card of a running call is the only sign that the tool started. */
  noteShown({ type, data }: ShownMessage): void {
    if (type !== "tool") return;
    const { toolName, partial } = data;
    const isRunning = partial === true && typeof toolName === "string";
    if (this.#calls.length === 0) this.#inTags = isRunning ? { toolName, hasBegun: true } : undefined;
    // Such calls ran one after another.
    else if (isRunning) this.#markBegun(this.#calls.find(({ hasBegun }) => !hasBegun));
  }

  noteMessage(message: ModelMessage, tool: string | undefined): void {
    this.#inTags = tool === undefined ? undefined : { toolName: tool, hasBegun: false };
    if (message.role === "assistant") {
      this.#calls = (message.calls ?? []).map(toOpenCall);
      this.#ranks = new Map(this.#calls.map(({ callId }, rank) => [callId, rank]));
    }
    if (message.role === "tool") this.#calls = this.#calls.filter(({ callId }) => callId !== message.callId);
  }

  clear(): void {
    this.#calls = [];
    this.#inTags = undefined;
  }

  #markBegun(begun: OpenNativeCall | undefined): void {
    this.#calls = this.#calls.map((call) => (call === begun ? { ...call, hasBegun: true } : call));
  }
}

type OpenNativeCall = OpenCall & { readonly callId: string };

function toOpenCall({ id, name }: NativeCall): OpenNativeCall {
  return { toolName: name, callId: id, hasBegun: false };
}

/** Creates the result for a call without one. Every call in the model's conversation requires a result. */
function toResult({ toolName, callId, hasBegun }: OpenCall): ModelMessage {
  const content = hasBegun ? CUT_OFF : NOT_RUN;
  return { role: "tool", toolName, callId, content };
}

/**
 * Escapes the tags of tool results in a message from a user or a tool. The log keeps the original text. The model's own
 * messages and the system prompt are not changed.
 */
function escapeMessage(message: ModelMessage): ModelMessage {
  if (message.role !== "user" && message.role !== "tool") return message;
  const content = escapeResultTags(message.content);
  if (message.parts === undefined) return { ...message, content };
  return { ...message, content, parts: message.parts.map(escapePart) };
}

function escapePart(part: ContentPart): ContentPart {
  if (part.type === "text") return { ...part, text: escapeResultTags(part.text) };
  return part.name === undefined ? part : { ...part, name: escapeResultTags(part.name) };
}
