/**
 * @fileoverview Splits a command-line argument such as `server.ts:app` into a file and an export.
 * @module cli/load/split-target
 */

/** File and export that an argument selects. */
export interface SplitTarget {
  readonly file: string;
  /** Name of the export. */
  readonly exportName: string;
}

/**
 * Splits `file:export`. Returns `undefined` for an argument without an export. Check first if a file with the whole name
 * exists, so that names with a colon still work.
 */
export function splitTarget(target: string): SplitTarget | undefined {
  const [, file, exportName] = /^(..+):([\p{ID_Start}_$][\p{ID_Continue}$]*)$/u.exec(target) ?? [];
  return file === undefined || exportName === undefined ? undefined : { file, exportName };
}
