/**
 * @fileoverview Lines of a task's log: one JSON value per line.
 * @module agent/storage/log-lines
 */
import { exceedsDepth, isJsonObject, readJson } from "@tenon/internal/json";
import { decodeUtf8, encodeUtf8 } from "@tenon/internal/utf8";
import { StorageError } from "./storage-error.js";
import { readEntry, type TaskEntry, type TaskHeader } from "./task-entry.js";
import { isTaskId } from "./task-id.js";

/** Line terminator. */
export const NEWLINE = 0x0a;

/** Maximum length of a header line. Listing tasks reads only this much of each log. */
export const MAX_HEADER_BYTES = 4096;

/** An entry, and its line. */
export interface EntryLine {
  /** The entry as a reader parses it from the line. */
  readonly entry: TaskEntry;
  readonly bytes: Uint8Array;
}

/** Creates the first line of a log, and the header that it contains. A long title is truncated. */
export function toHeaderLine(
  { taskId, title, parentTaskId }: TaskHeader,
  createdAt: number,
): { readonly header: TaskHeader; readonly bytes: Uint8Array } {
  const header = { taskId, title: cutTitle(title), ...(parentTaskId !== undefined && { parentTaskId }) };
  return { header, bytes: encodeUtf8(`${JSON.stringify({ v: FORMAT, ...header, createdAt })}\n`) };
}

/** Parses the header from the value of the first line. */
export function readHeader(value: unknown): TaskHeader | undefined {
  if (!isJsonObject(value) || value["v"] !== FORMAT) return undefined;
  const { taskId, title, parentTaskId } = value;
  if (!isTaskId(taskId) || typeof title !== "string") return undefined;
  if (parentTaskId === undefined) return { taskId, title };
  return isTaskId(parentTaskId) ? { taskId, title, parentTaskId } : undefined;
}

/**
 * Creates the line of an entry. The line is parsed again, so that only entries that can be read are stored.
 *
 * @throws {StorageError} if the entry cannot be serialized, or is nested too deeply
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
  return { entry: kept, bytes: encodeUtf8(`${text}\n`) };
}

/** Parses a line without its newline. Returns `undefined` if it is not JSON, or is nested too deeply. */
export function readLine(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  return text === undefined ? undefined : readText(text);
}

function readText(text: string): unknown {
  return exceedsDepth(text, MAX_DEPTH) ? undefined : readJson(text);
}

/** Truncates a title without splitting a surrogate pair. */
function cutTitle(title: string): string {
  return title.slice(0, MAX_TITLE).replace(/[\uD800-\uDBFF]$/, "");
}

const FORMAT = 1;
const UNFIT = "This message could not be saved: it is not JSON, or it is nested too deeply.";

/** At most six bytes per character, so that a title fits in a header with two ids. */
const MAX_TITLE = 500;

/** Twice the depth of a client's frame, because an entry contains it. */
const MAX_DEPTH = 128;
