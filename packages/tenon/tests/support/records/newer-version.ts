/**
 * @fileoverview Simulates a newer version of Tenon, which does not exist yet: while `newerVersion.isActive`, all nodes
 * write and read records with a newer format.
 * @module tests/tenon/support/records/newer-version
 */
import type { checkRecord, toRecordText } from "@tenon/internal/records/record-format";

/** Switch between this version and a newer one. */
export const newerVersion = { isActive: false };

/** Functions for records. */
export interface RecordFormat {
  readonly checkRecord: typeof checkRecord;
  readonly toRecordText: typeof toRecordText;
}

/** Creates the functions for records that use the active version, for `vi.mock`. */
export function switchVersions(current: RecordFormat): RecordFormat {
  return {
    toRecordText: (kind, record) =>
      newerVersion.isActive ? JSON.stringify({ ...record, format: 2 }) : current.toRecordText(kind, record),
    checkRecord: (kind, text) =>
      current.checkRecord(kind, newerVersion.isActive ? text?.replace(/,"format":2\}$/, "}") : text),
  };
}

/** Runs work as a node with a newer version. */
export async function asNewer<T>(work: () => Promise<T>): Promise<T> {
  newerVersion.isActive = true;
  try {
    return await work();
  } finally {
    newerVersion.isActive = false;
  }
}
