/**
 * @fileoverview Finds the places in a stack trace that are in the user's code.
 * @module cli/dev/log/stack-places
 */
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";

/** Place in a file. */
export interface StackPlace {
  /** Absolute path. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the places of a stack trace that are in the user's files, innermost first.
 *
 * @param files absolute paths of the user's files
 */
export function findPlaces(stack: string, files: ReadonlySet<string>): readonly StackPlace[] {
  return stack
    .slice(0, MAX_STACK)
    .split("\n")
    .flatMap((text) => {
      const [, path = "", line, column] = FRAME.exec(text) ?? [];
      const file = toPath(path);
      if (file === undefined || !files.has(file)) return [];
      return [{ file, line: Number(line), column: Number(column) }];
    });
}

const MAX_STACK = 20_000;
/** Line of a stack trace: `at name (path:1:2)`, `at path:1:2`, or `at async path:1:2`. */
const FRAME = /^\s{1,20}at (?:.{0,1000}\(|async )?([^()]+):(\d{1,9}):(\d{1,9})\)?$/;

function toPath(text: string): string | undefined {
  try {
    const path = text.startsWith("file:") ? fileURLToPath(text) : text;
    return isAbsolute(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
