/**
 * @fileoverview Searches the names and values of a JSON document.
 * @module ui/json/json-search
 */
import { childKey } from "./json-rows.js";
import { cursorOf, type MemberCursor, nextMember, sizeOf } from "./json-value.js";

/** Result of a search. */
export interface JsonMatches {
  /** Keys of the matching rows, in document order. */
  readonly keys: readonly string[];
  /** Keys of the values that must be expanded to show the matches. */
  readonly ancestors: ReadonlySet<string>;
  /** True if the search has stopped at a limit. */
  readonly isCut: boolean;
}

const MAX_MATCHES = 1_000;
const MAX_VISITED = 1_000_000;
/** Characters of a string that are searched. */
const MAX_SEARCHED = 10_000;

/** Value whose members are visited. */
interface Frame {
  readonly cursor: MemberCursor;
  /** Name of the value itself. Absent for the root. */
  readonly name: string | number | undefined;
}

/** Finds names and scalars that contain a text, without regard to case. The number of visited values is limited. */
export function searchJson(root: unknown, query: string): JsonMatches {
  const wanted = query.toLowerCase();
  const keys: string[] = [];
  const ancestors = new Set<string>();
  if (wanted === "") return { keys, ancestors, isCut: false };
  if (matches(undefined, root, wanted)) keys.push("");
  const open: Frame[] = [{ cursor: cursorOf(root), name: undefined }];
  let visited = 0;
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const member = nextMember(frame.cursor);
    if (member === undefined) {
      open.pop();
      continue;
    }
    if (++visited > MAX_VISITED || keys.length >= MAX_MATCHES) return { keys, ancestors, isCut: true };
    const { name, value } = member;
    if (matches(name, value, wanted)) keys.push(childKey(addAncestors(open, ancestors), name));
    if (sizeOf(value) > 0) open.push({ cursor: cursorOf(value), name });
  }
  return { keys, ancestors, isCut: false };
}

/** Adds the keys of the open values. Returns the key of the last one. */
function addAncestors(open: readonly Frame[], ancestors: Set<string>): string {
  let key = "";
  for (const { name } of open) {
    if (name !== undefined) key = childKey(key, name);
    ancestors.add(key);
  }
  return key;
}

function matches(name: string | number | undefined, value: unknown, wanted: string): boolean {
  if (typeof name === "string" && name.toLowerCase().includes(wanted)) return true;
  if (typeof value === "string") return value.slice(0, MAX_SEARCHED).toLowerCase().includes(wanted);
  if (typeof value === "number" || typeof value === "boolean" || value === null) {
    return String(value).includes(wanted);
  }
  return false;
}
