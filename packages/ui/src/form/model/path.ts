/**
 * @fileoverview Paths in a form's value. Values are never changed in place: a change copies the containers on its path.
 * @module ui/form/model/path
 */
import { isJsonObject } from "@tenon/internal/json";
import { childKey } from "../../json/json-rows.js";

/** Keys and indexes from the root to a value. */
export type Path = readonly (string | number)[];

/** Problem with a value in a form. */
export interface Problem {
  /** Keys and indexes from the root to the value. */
  readonly path: Path;
  readonly message: string;
}

/** Returns a text that is unique for a path: its JSON Pointer (RFC 6901). */
export function pathKey(path: Path): string {
  return path.reduce<string>(childKey, "");
}

/** Returns true if a key is that of a path or of a value inside it. */
export function isInside(key: string, parent: string): boolean {
  return key === parent || key.startsWith(`${parent}/`);
}

/** Returns the value at a path, or `undefined`. Inherited members are ignored. */
export function getAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) {
    if (Array.isArray(value)) value = typeof key === "number" ? value[key] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

/** Returns a copy with another value at a path. Containers that are missing or have another type are created. */
export function setAt(root: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === "number") {
    const items: unknown[] = Array.isArray(root) ? [...root] : [];
    items[key] = setAt(items[key], rest, value);
    return items;
  }
  const object = isJsonObject(root) ? root : {};
  // A computed name always defines an own member, even for `__proto__`.
  return { ...object, [key]: setAt(getAt(object, [key]), rest, value) };
}

/** Returns a copy without the value at a path. Elements after a removed element move up. */
export function removeAt(root: unknown, path: Path): unknown {
  const parent = path.slice(0, -1);
  const key = path.at(-1);
  const container = getAt(root, parent);
  if (key === undefined || getAt(container, [key]) === undefined) return root;
  if (Array.isArray(container))
    return setAt(
      root,
      parent,
      container.filter((_, index) => index !== key),
    );
  return setAt(root, parent, withoutMember(container, key));
}

/** Returns a copy in which an element of an array has moved to another index. */
export function moveItem(
  root: unknown,
  path: Path,
  move: { readonly from: number; readonly to: number },
): unknown {
  const container = getAt(root, path);
  if (!Array.isArray(container)) return root;
  const { from, to } = move;
  if (from === to || from < 0 || to < 0 || from >= container.length || to >= container.length) return root;
  const items: unknown[] = [...container];
  items.splice(to, 0, ...items.splice(from, 1));
  return setAt(root, path, items);
}

/** Returns a copy in which a member of an object has another name. Its position stays the same. */
export function renameMember(root: unknown, path: Path, name: string): unknown {
  const parent = path.slice(0, -1);
  const container = getAt(root, parent);
  const old = path.at(-1);
  if (!isJsonObject(container) || old === name || Object.hasOwn(container, name)) return root;
  const members = Object.entries(container).map(([key, value]) => [key === old ? name : key, value] as const);
  return setAt(root, parent, Object.fromEntries(members));
}

function withoutMember(container: unknown, key: string | number): unknown {
  if (!isJsonObject(container)) return container;
  return Object.fromEntries(Object.entries(container).filter(([name]) => name !== key));
}
