/**
 * @fileoverview Lines of the task log. The first line of a file is the header, `{"format":2}`. Each other line is
 * encrypted, so that nobody without the key can add one, and contains a new state of one task in one of two forms:
 *
 * - Complete: `{"version":1,"record":{…}}`.
 * - Change: `{"version":2,"base":1,"record":{"taskId":"a","updatedAt":5},"journal":{…}}`. It has only the members that
 *   differ from the task's line with the version `base`. Each member of `journal` is either `{"value":…}`, which
 *   replaces it, or `{"set":{…},"removed":[…]}`, which changes some of its entries. A change whose base is not the
 *   task's newest line cannot be read.
 *
 * Format 1 has the same lines without encryption. It is read once, when a directory of an earlier version is opened.
 * @module tenon/tasks/directory/log-line
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { RecordSealer } from "../../core/wire/cluster-link.js";
import { isFinal, type TaskRecord } from "../state/record.js";
import type { LoggedTask } from "./task-log.js";

/** Format of the files that this version reads and writes. */
export const LOG_FORMAT = 2;

/** Format of the files of earlier versions, which are not encrypted. */
export const PLAIN_FORMAT = 1;

/** Encrypts a line. */
export async function sealLine(sealer: RecordSealer, line: string): Promise<string> {
  return `${await sealer.seal(line, PLACE)}\n`;
}

/** Decrypts a line. Resolves with `undefined` if it was altered or has an unknown key. */
export function openLine(sealer: RecordSealer, line: string): Promise<string | undefined> {
  return sealer.open(line, PLACE);
}

/** Place that lines are encrypted for. The version in a line makes sure that an older one does not replace it. */
const PLACE = "task log";

/** First line of a file. */
export const LOG_HEADER = `{"format":${LOG_FORMAT}}\n`;

/** Returns the format of a file from its first line, or `undefined` if the line is not a header. */
export function readFormat(line: string): unknown {
  return parseObject(line)?.["format"];
}

/** Creates the lines of one file. Remembers the last line of each unfinished task, so that later ones can be short. */
export class LineEncoder {
  readonly #last = new Map<string, LoggedTask>();

  /** Returns the line for the new state of a task. */
  encode(task: LoggedTask): string {
    const { record, version } = task;
    const base = this.#last.get(record.taskId);
    // A finished record is smaller than the last one, and it does not change again.
    const isLast = isFinal(record);
    if (isLast) this.#last.delete(record.taskId);
    else this.#last.set(record.taskId, task);
    const line = base === undefined || isLast ? { version, record } : toChange(base, task);
    return JSON.stringify(line);
  }

  /** Makes the next line of every task complete. Must be called if lines may not be in the file. */
  reset(): void {
    this.#last.clear();
  }
}

/** Change to a member of the journal. */
type JournalChange =
  { readonly value: unknown } | { readonly set: JsonObject; readonly removed: readonly string[] };

/** Compares members by identity, because records are immutable. */
function toChange(base: LoggedTask, { record, version }: LoggedTask): JsonObject {
  const { journal: oldJournal, ...oldMembers } = base.record;
  const { journal, ...members } = record;
  const changed = changedEntries(oldMembers, members);
  const line = { version, base: base.version, record: { taskId: record.taskId, ...changed } };
  if (journal === oldJournal) return line;
  const old: JsonObject = { ...oldJournal };
  const changes = Object.entries(changedEntries(old, { ...journal })).map(
    ([name, value]) => [name, toJournalChange(old[name], value)] as const,
  );
  return { ...line, journal: Object.fromEntries(changes) };
}

function toJournalChange(old: unknown, value: unknown): JournalChange {
  if (!isJsonObject(old) || !isJsonObject(value)) return { value };
  const removed = Object.keys(old).filter((key) => ownMember(value, key) === undefined);
  return { set: changedEntries(old, value), removed };
}

/** Returns the entries that are new or different. */
function changedEntries(old: JsonObject, next: JsonObject): JsonObject {
  const keys = Object.keys(next).filter((key) => next[key] !== ownMember(old, key));
  return Object.fromEntries(keys.map((key) => [key, next[key]]));
}

function ownMember(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Collects the newest state of each task from the lines of a file. */
export class LineDecoder {
  readonly #tasks = new Map<string, LoggedTask>();

  get tasks(): readonly LoggedTask[] {
    return [...this.#tasks.values()];
  }

  /** Adds a line. Returns false if it cannot be read. */
  add(line: string): boolean {
    const value = parseObject(line);
    const { version, base, record, journal = {} } = value ?? {};
    if (typeof version !== "number" || !Number.isSafeInteger(version)) return false;
    if (!isJsonObject(record) || typeof record["taskId"] !== "string") return false;
    const known = this.#tasks.get(record["taskId"]);
    // Compaction may have stored this state, or a newer one, before its own line was written.
    if (known !== undefined && known.version >= version) return true;
    if (base === undefined) {
      if (!isJsonObject(record["journal"])) return false;
      // Safe: the journal is an object, and the reader checks the other members of the newest state
      this.#tasks.set(record["taskId"], { version, record: record as unknown as TaskRecord });
      return true;
    }
    if (known === undefined || known.version !== base || !isJsonObject(journal)) return false;
    applyChange(known.record, record, journal);
    this.#tasks.set(record["taskId"], { version, record: known.record });
    return true;
  }
}

/** Changes a record in place, because a copy for each line would take long for large journals. */
function applyChange(target: TaskRecord, members: JsonObject, journal: JsonObject): void {
  for (const [name, value] of Object.entries(members)) setMember(target, name, value);
  for (const [name, change] of Object.entries(journal)) {
    const { value, set, removed } = isJsonObject(change) ? change : {};
    const entries = (target.journal as unknown as JsonObject)[name]; // Safe: the journal is an object
    if (!isJsonObject(set) || !isJsonObject(entries)) {
      setMember(target.journal, name, value);
      continue;
    }
    if (Array.isArray(removed)) for (const key of removed) Reflect.deleteProperty(entries, String(key));
    for (const [key, entry] of Object.entries(set)) setMember(entries, key, entry);
  }
}

/** Sets a member. An assignment to `__proto__` would change the prototype instead. */
function setMember(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
}

function parseObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
