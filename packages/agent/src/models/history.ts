/**
 * @fileoverview Prepares a conversation for providers: pairs calls with their results, wraps results that have no call,
 * and merges consecutive user messages.
 * @module agent/models/history
 */
import { fromBase64 } from "@tenon/internal/base64";
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { escapeResultTags, printToolResult } from "../xml/tool-result.js";
import type { ContentPart, ModelMessage, NativeCall } from "./model-port.js";

type ToolMessage = Extract<ModelMessage, { readonly role: "tool" }>;
type WithParts = Extract<ModelMessage, { readonly role: "user" | "tool" }>;

/** Result of a native call. */
export interface CallResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** Response in a prepared conversation. */
export interface AssistantItem {
  readonly role: "assistant";
  readonly text: string;
  readonly calls: readonly NativeCall[];
  /** Data that the provider wants back. Only set for responses since the last user message. */
  readonly metadata?: JsonObject | undefined;
}

/** Message in a prepared conversation. Two user messages never follow each other. */
export type HistoryItem =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly parts: readonly ContentPart[] }
  | AssistantItem
  | { readonly role: "tool"; readonly results: readonly CallResult[] };

/** Prepares a conversation. With `"xml"`, calls and results become text. */
export function toHistory(
  messages: readonly ModelMessage[],
  toolCalls: "xml" | "native",
): readonly HistoryItem[] {
  const items =
    toolCalls === "native" ? toNativeItems(messages) : messages.flatMap((one) => [...toTextItems(one)]);
  return mergeUsers(items);
}

/**
 * Parses the arguments of a call. Malformed arguments are replaced, because providers parse the arguments of earlier
 * calls and would reject the request.
 */
export function toCallInput({ arguments: json }: NativeCall): JsonObject {
  const value = readJson(json);
  if (isJsonObject(value)) return value;
  return json.trim() === "" ? {} : { unreadable: json };
}

/** Returns a media type, or `application/octet-stream` for text that is not a media type. */
export function toMediaType(text: unknown): string {
  const isValid = typeof text === "string" && /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(text);
  return isValid ? text.toLowerCase() : "application/octet-stream";
}

/**
 * Converts a message, with tool calls and results as text. Blank assistant messages are omitted, because some servers
 * reject them.
 */
function* toTextItems(message: ModelMessage): Generator<HistoryItem> {
  if (message.role === "system") yield { role: "system", text: message.content };
  else if (message.role === "user") yield { role: "user", parts: toUserParts(message) };
  else if (message.role === "tool") yield toUserResult(message);
  else {
    const calls = (message.calls ?? []).map(printCall);
    const text = [message.content, ...calls].filter((one) => one !== "").join("\n");
    if (text.trim() !== "") yield { role: "assistant", text, calls: [] };
  }
}

/** Prints a native call as text. `<\/` is valid in JSON, and does not close the tag. */
function printCall({ name, arguments: json }: NativeCall): string {
  return `<${name}>${json.replaceAll("</", "<\\/")}</${name}>`;
}

/**
 * Converts messages and keeps tool calls in the native format. Servers require every call to be followed by its result
 * and every result to belong to a call. Truncated or interrupted histories may violate these rules, so calls without a
 * result get a placeholder, and results without a call become text.
 *
 * Providers need their metadata only until the next user message. Older metadata is omitted, because it can refer to
 * data that the provider has deleted.
 */
function* toNativeItems(messages: readonly ModelMessage[]): Generator<HistoryItem> {
  const turnStart = messages.findLastIndex(({ role }) => role === "user");
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message?.role !== "assistant" || message.calls === undefined || message.calls.length === 0) {
      if (message !== undefined) yield* toTextItems(message);
      continue;
    }
    const { content: text, calls, metadata } = message;
    yield { role: "assistant", text, calls, ...(index > turnStart && metadata && { metadata }) };
    const results: ToolMessage[] = [];
    for (let next = messages[index + 1]; next?.role === "tool"; next = messages[index + 1]) {
      results.push(next);
      index++;
    }
    yield* toResultItems(calls, results);
  }
}

function* toResultItems(
  calls: readonly NativeCall[],
  messages: readonly ToolMessage[],
): Generator<HistoryItem> {
  const used = new Set<ToolMessage>();
  const results = calls.map(({ id, name }) => {
    const message = messages.find((one) => one.callId === id && !used.has(one));
    if (message !== undefined) used.add(message);
    return { id, name, text: message === undefined ? NO_RESULT : textOf(message) };
  });
  yield { role: "tool", results };
  for (const message of messages) {
    if (used.has(message)) yield* toUserFiles(message);
    else yield toUserResult(message);
  }
}

const NO_RESULT = "No result is available: the call was interrupted.";

/** Sends the files of a result as a user message, because most providers accept only text in results. */
function* toUserFiles(message: ToolMessage): Generator<HistoryItem> {
  const files = filesOf(message);
  if (files.length === 0) return;
  yield {
    role: "user",
    parts: [{ type: "text", text: `Files from the result of ${message.toolName}:` }, ...files],
  };
}

/** Wraps a result in a user message, in which it cannot close its tag and impersonate the user. */
function toUserResult(message: ToolMessage): HistoryItem {
  const text = printToolResult(message.toolName, textOf(message));
  return { role: "user", parts: [{ type: "text", text }, ...filesOf(message)] };
}

function toUserParts(message: WithParts): readonly ContentPart[] {
  const { content, parts = [] } = message;
  const isWhole = parts.some(isText) || (content === "" && parts.length > 0);
  const all: readonly ContentPart[] = isWhole ? parts : [{ type: "text", text: content }, ...parts];
  return all.map(toReadable);
}

function textOf({ content, parts = [] }: WithParts): string {
  const texts = parts.filter(isText).map(({ text }) => text);
  return texts.length === 0 ? content : texts.join("\n");
}

function filesOf({ parts = [] }: WithParts): readonly ContentPart[] {
  return parts.filter((part) => !isText(part)).map(toReadable);
}

function isText(part: ContentPart): part is Extract<ContentPart, { readonly type: "text" }> {
  return part.type === "text";
}

const TEXT_TYPES = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|toml)$)/;

/**
 * Normalizes a part. Text files become text, because many providers accept only images and PDF files. Text cannot
 * contain the tag of a result, so that a user cannot forge one.
 */
function toReadable(part: ContentPart): ContentPart {
  if (isText(part)) return { type: "text", text: escapeResultTags(part.text) };
  const mediaType = toMediaType(part.mediaType);
  const bytes = TEXT_TYPES.test(mediaType) ? fromBase64(part.data) : undefined;
  if (bytes === undefined) {
    return { ...part, type: mediaType.startsWith("image/") ? "image" : "file", mediaType };
  }
  const name = part.name === undefined ? "File" : `File ${JSON.stringify(part.name)}`;
  const text = `${name} (${mediaType}):\n${new TextDecoder().decode(bytes)}`;
  return { type: "text", text: escapeResultTags(text) };
}

/** Merges consecutive user messages, because some servers require user and assistant messages to alternate. */
export function mergeUsers<Item extends HistoryItem>(items: Iterable<Item>): readonly Item[] {
  const merged: Item[] = [];
  for (const item of items) {
    const last = merged.at(-1);
    if (item.role === "user" && last?.role === "user") {
      merged[merged.length - 1] = { ...item, parts: [...last.parts, ...item.parts] };
    } else merged.push(item);
  }
  return merged;
}
