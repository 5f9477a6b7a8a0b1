/**
 * @fileoverview Text search in tasks: in their titles, and in the messages of the user and the model.
 * @module agent/storage/list/search-tasks
 */
import { oneLine } from "@tenon/internal/text";
import { StorageError } from "../storage-error.js";
import type { TaskEntry } from "../task-entry.js";
import { Sequence } from "./sequence.js";
import { type TaskSummary, toCursor } from "./task-list.js";

/** Task in a list or in the results of a search. */
export interface ListedTask extends TaskSummary {
  /** Part of the message that contains the words of the search. Missing if the title contains them. */
  readonly excerpt?: string | undefined;
}

/** Page of a list of tasks. */
export interface TaskPage {
  readonly tasks: readonly ListedTask[];
  /**
   * Cursor for the next page. Missing on the last page. A search reads a limited amount per page, so that a page with
   * few or no results can have a next page.
   */
  readonly nextCursor?: string | undefined;
}

/** Entries of a task, and the number of bytes that were read for them. */
export interface SearchedTask {
  readonly entries: readonly TaskEntry[];
  readonly bytes: number;
}

/** Functions that find and read tasks for a search. */
export interface SearcherParts {
  /** Returns a task, or `undefined` if it no longer exists. */
  readonly find: (taskId: string) => TaskSummary | undefined;
  /** Reads the entries of a task. */
  readonly read: (taskId: string) => Promise<SearchedTask>;
}

/** Search in a list of tasks. */
export interface SearchRequest {
  /** Words that a title or a message must contain, from `toWords`. */
  readonly words: readonly string[];
  /** Maximum number of results. */
  readonly limit: number;
  /** ID of the user who searches. Each user can have a few searches at the same time. */
  readonly requestedBy?: string | undefined;
}

/** Searches tasks, one search at a time, so that many searches cannot occupy the server. */
export class TaskSearcher {
  readonly #parts: SearcherParts;
  readonly #sequence = new Sequence();
  /** Number of searches that are waiting or running, by user. */
  readonly #byUser = new Map<string, number>();

  constructor(parts: SearcherParts) {
    this.#parts = parts;
  }

  /**
   * Searches tasks in the given order, until the page is full or the limit for one search is reached.
   *
   * @throws {StorageError} if too many searches are waiting
   */
  async search(tasks: readonly TaskSummary[], request: SearchRequest): Promise<TaskPage> {
    const { requestedBy: user } = request;
    const own = user === undefined ? 0 : (this.#byUser.get(user) ?? 0);
    if (this.#sequence.size >= MAX_SEARCHES || own >= MAX_PER_USER) {
      const limit = own >= MAX_PER_USER ? MAX_PER_USER : MAX_SEARCHES;
      throw new StorageError(`Too many searches at the same time (limit: ${limit}). Try again later.`);
    }
    if (user !== undefined) this.#byUser.set(user, own + 1);
    try {
      return await this.#sequence.run(() => this.#searchAll(tasks, request));
    } finally {
      if (user !== undefined) this.#forget(user);
    }
  }

  #forget(user: string): void {
    const left = (this.#byUser.get(user) ?? 1) - 1;
    if (left > 0) this.#byUser.set(user, left);
    else this.#byUser.delete(user);
  }

  async #searchAll(tasks: readonly TaskSummary[], { words, limit }: SearchRequest): Promise<TaskPage> {
    const found: ListedTask[] = [];
    let bytes = 0;
    for (const [index, task] of tasks.entries()) {
      const result = await this.#searchTask(task, words);
      // Even a small file takes time to open.
      bytes += Math.max(result.bytes, MIN_COST);
      // The position in this search is that of the start, even if the task has changed since.
      if (result.task !== undefined) found.push({ ...result.task, updatedAt: task.updatedAt });
      const isLast = index === tasks.length - 1;
      if (!isLast && (found.length >= limit || bytes >= MAX_BYTES)) {
        return { tasks: found, nextCursor: toCursor(task) };
      }
    }
    return { tasks: found };
  }

  /** Searches one task. A task that was removed since the search started is not found. */
  async #searchTask(
    { taskId, owner }: TaskSummary,
    words: readonly string[],
  ): Promise<{ readonly task?: ListedTask | undefined; readonly bytes: number }> {
    // A new task with the same ID may belong to another user.
    const find = () => {
      const task = this.#parts.find(taskId);
      return task?.owner === owner ? task : undefined;
    };
    const task = find();
    if (task === undefined) return { bytes: 0 };
    if (findWords(task.title, words) !== undefined) return { task, bytes: 0 };
    const { entries, bytes } = await this.#parts.read(taskId);
    const excerpt = await searchEntries(entries, words);
    const current = find();
    return { task: current && excerpt !== undefined ? { ...current, excerpt } : undefined, bytes };
  }
}

/** Splits a query into words. Case and Unicode composition are ignored. */
export function toWords(query: string): readonly string[] {
  return [...new Set(toSearchable(query.slice(0, MAX_QUERY)).split(/\s+/).filter(Boolean))];
}

/**
 * Returns the part of a text around the first word, or `undefined` unless the text contains every word. A word may be
 * part of a longer word, so results appear while the user is still typing.
 */
export function findWords(text: string, words: readonly string[]): string | undefined {
  const searchable = toSearchable(text);
  if (!words.every((word) => searchable.includes(word))) return undefined;
  // Lowercase letters can have a different length. Positions are then valid only in the converted text.
  const source = searchable.length === text.length ? text : searchable;
  const at = searchable.indexOf(words[0] ?? "");
  const start = Math.max(0, at - EXCERPT / 4);
  const excerpt = source.slice(start, start + EXCERPT).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
  return oneLine(excerpt, EXCERPT).trim();
}

/**
 * Returns an excerpt of the first message that contains every word, or `undefined` if there is none. Pauses after every
 * 256 Ki characters, so that a long task does not block the event loop.
 */
export async function searchEntries(
  entries: readonly TaskEntry[],
  words: readonly string[],
): Promise<string | undefined> {
  let length = 0;
  for (const { shown } of entries) {
    const text = shown && shown.data[SEARCHED.get(shown.type) ?? ""];
    if (typeof text !== "string") continue;
    const found = findWords(text, words);
    if (found !== undefined) return found;
    length += text.length;
    if (length < PAUSE) continue;
    length = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return undefined;
}

function toSearchable(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Message types that are searched, and the fields that contain their text. Tool results and reasoning are not. */
const SEARCHED: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["userSendMessage", "message"],
  ["message", "message"],
  ["completionResult", "message"],
  ["askFollowupQuestion", "question"],
]);

const MAX_SEARCHES = 16;

/** Maximum number of searches per user, so that one user cannot block the searches of others. */
const MAX_PER_USER = 4;

/** Maximum number of bytes that one search reads. The last log may exceed it. */
const MAX_BYTES = 33_554_432;
const MIN_COST = 32_768;
const MAX_QUERY = 200;
const PAUSE = 262_144;
const EXCERPT = 160;
