/**
 * @fileoverview The lines of a task's log: JSON, one value a line, ended by a newline, which no JSON has inside.
 * @module agent/storage/log-lines
 */
import { exceedsDepth, isJsonObject, readJson } from "@tenon/internal/json";
import { decodeUtf8, encodeUtf8 } from "@tenon/internal/utf8";
import { StorageError } from "./storage-error.js";
import { readEntry, type TaskEntry, type TaskHeader } from "./task-entry.js";
import { isTaskId } from "./task-id.js";

/** What every line ends with. */
export const NEWLINE = 0x0a;

/** A header line is never longer: a list of tasks is made from this much of each log. */
export const MAX_HEADER_BYTES = 4096;

/** An entry, and the line that it is kept as. */
export interface EntryLine {
  /** As a reader of the line will find it. */
  readonly entry: TaskEntry;
  readonly bytes: Uint8Array;
}

/** The first line of a log, and the header as it stands there: a title that is too long is cut. */
export function toHeaderLine(
  { taskId, title, parentTaskId }: TaskHeader,
  createdAt: number,
): { readonly header: TaskHeader; readonly bytes: Uint8Array } {
  const header = { taskId, title: cutTitle(title), ...(parentTaskId !== undefined && { parentTaskId }) };
  return { header, bytes: encodeUtf8(`${JSON.stringify({ v: FORMAT, ...header, createdAt })}\n`) };
}

/** Narrows a first line that was parsed. */
export function readHeader(value: unknown): TaskHeader | undefined {
  if (!isJsonObject(value) || value["v"] !== FORMAT) return undefined;
  const { taskId, title, parentTaskId } = value;
  if (!isTaskId(taskId) || typeof title !== "string") return undefined;
  if (parentTaskId === undefined) return { taskId, title };
  return isTaskId(parentTaskId) ? { taskId, title, parentTaskId } : undefined;
}

/**
 * The line of an entry. It is read back at once: what a reader would not understand was never kept.
 *
 * @throws StorageError
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

/** Reads the value of a line without its newline; `undefined` if it is not JSON or nests too deep. */
export function readLine(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  return text === undefined ? undefined : readText(text);
}

function readText(text: string): unknown {
  return exceedsDepth(text, MAX_DEPTH) ? undefined : readJson(text);
}

/** Half a surrogate pair at the end would be no text. */
function cutTitle(title: string): string {
  return title.slice(0, MAX_TITLE).replace(/[\uD800-\uDBFF]$/, "");
}

const FORMAT = 1;
const UNFIT = "This message cannot be saved: it is no JSON, or it nests too deep";

/** At worst six bytes each, so that they fit in a header with two names. */
const MAX_TITLE = 500;

/** Twice what a frame of a client may have: an entry has it inside. */
const MAX_DEPTH = 128;
