/**
 * @fileoverview Line format of task logs: one JSON value per line.
 * @module agent/storage/log-lines
 */
import { exceedsDepth, isJsonObject, readJson } from "@tenon/internal/json";
import { decodeUtf8, encodeUtf8 } from "@tenon/internal/utf8";
import { StorageError } from "./storage-error.js";
import { readEntry, type TaskEntry, type TaskHeader } from "./task-entry.js";
import { isTaskId, isUserId } from "./task-id.js";

/** Byte that ends a line. */
export const NEWLINE = 0x0a;

/** Maximum length of the header line, in bytes. Listing tasks reads only this part of each log. */
export const MAX_HEADER_BYTES = 8192;

/** Log entry and its encoded line. */
export interface EntryLine {
  /** The entry as it will be parsed from the line. */
  readonly entry: TaskEntry;
  readonly bytes: Uint8Array;
}

/** Encodes the first line of a log, and returns the header as stored. A long title is truncated. */
export function toHeaderLine(
  { taskId, title, parentTaskId, owner }: TaskHeader,
  createdAt: number,
): { readonly header: TaskHeader; readonly bytes: Uint8Array } {
  const header = { taskId, title: cutTitle(title), parentTaskId, owner };
  return { header, bytes: encodeUtf8(`${JSON.stringify({ v: FORMAT, ...header, createdAt })}\n`) };
}

/** Parses a log header. Returns `undefined` if the value is not a valid header. */
export function readHeader(value: unknown): TaskHeader | undefined {
  if (!isJsonObject(value) || value["v"] !== FORMAT) return undefined;
  const { taskId, title, parentTaskId, owner } = value;
  if (!isTaskId(taskId) || typeof title !== "string" || title.length > MAX_TITLE) return undefined;
  if (!(parentTaskId === undefined || isTaskId(parentTaskId))) return undefined;
  // A task with an unreadable owner must not become a task without an owner.
  if (!(owner === undefined || isUserId(owner))) return undefined;
  return { taskId, title, parentTaskId, owner };
}

/**
 * Encodes an entry as a line. The line is parsed again, so that only readable entries are stored.
 *
 * @throws {StorageError} if the entry cannot be represented in JSON, or is nested too deeply
 */
export function toEntryLine(entry: TaskEntry): EntryLine {
  let text: string | undefined;
  try {
    text = JSON.stringify(entry);
  } catch (cause) {
    throw new StorageError(UNFIT, { cause });
  }
  const kept = text === undefined ? undefined : readEntry(readText(text));
  if (kept === undefined) throw new StorageError(UNFIT);
  // The line contains only what is read again: unknown fields and metadata that is too long are not stored.
  return { entry: kept, bytes: encodeUtf8(`${JSON.stringify(kept)}\n`) };
}

/** Parses a line, given without its newline. Returns `undefined` if it is not valid JSON or is nested too deeply. */
export function readLine(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  return text === undefined ? undefined : readText(text);
}

function readText(text: string): unknown {
  return exceedsDepth(text, MAX_DEPTH) ? undefined : readJson(text);
}

/** Truncates a title to 500 characters without splitting a surrogate pair. */
export function cutTitle(title: string): string {
  return title.slice(0, MAX_TITLE).replace(/[\uD800-\uDBFF]$/, "");
}

const FORMAT = 1;

/**
 * Maximum title length. At six bytes per character at most, the title fits in a header line with two task IDs and a
 * user ID, whose characters take three bytes at most.
 */
const MAX_TITLE = 500;

/** Maximum nesting depth. Twice that of a client's frame, because an entry contains the frame's data. */
const MAX_DEPTH = 128;

const UNFIT = `Could not save this message: it is not valid JSON, or is nested deeper than ${MAX_DEPTH} levels.`;
