/**
 * @fileoverview Formats of the records that nodes share. During an update, nodes with different versions of Tenon read
 * each other's records. A record has the number of its format as the member `format`, and format 1 has no number.
 *
 * A new optional member needs no new number: earlier versions ignore it, and may drop it. A number is increased if an
 * earlier version would misread the record. Readers accept all older formats, and leave newer ones alone.
 * @module internal/records/record-format
 */
import { isJsonObject, type JsonObject, readJson } from "../json.js";

/** Newest format of each kind of record, which this version writes. */
const FORMATS = {
  session: 1,
  "event of a session": 1,
  "change of a server": 1,
  task: 1,
  "idempotent call": 1,
  "call state": 1,
} as const;

/** Kind of record. */
export type RecordKind = keyof typeof FORMATS;

/** Outcome of reading a record. */
export type RecordCheck =
  | { readonly kind: "read"; readonly record: JsonObject }
  /** Another version of Tenon wrote the record. `problem` is a message for the log. */
  | { readonly kind: "newer"; readonly record: JsonObject; readonly problem: string }
  | { readonly kind: "invalid" };

/** Converts a record to text. */
export function toRecordText(kind: RecordKind, record: object): string {
  const format: number = FORMATS[kind];
  return JSON.stringify(format === 1 ? record : { ...record, format });
}

/** Reads the text of a record. `undefined` stands for text that could not be decrypted. */
export function checkRecord(kind: RecordKind, text: string | undefined): RecordCheck {
  // The handler of a task gets its arguments with all keys, as it did in its first run.
  const record = text === undefined ? undefined : readJson(text, kind === "task");
  if (!isJsonObject(record)) return { kind: "invalid" };
  const { format = 1 } = record;
  const newest = FORMATS[kind];
  if (typeof format === "number" && format <= newest) return { kind: "read", record };
  const problem =
    `A record (${kind}) has format ${String(format)}, but this version of Tenon reads only up to format ${newest}. ` +
    "It is left to nodes with the version that wrote it.";
  return { kind: "newer", record, problem };
}
