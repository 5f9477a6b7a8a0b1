/**
 * @fileoverview Removes undefined members, for objects that distinguish them from missing ones.
 * @module internal/without-undefined
 */

/** Copies an object without its undefined members. */
export function withoutUndefined<T extends object>(members: T): Defined<T> {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Defined<T>; // Safe: same keys and values, except those that the type excludes
}

type Defined<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name];
} & { [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined> };
