/**
 * @fileoverview The protocol revisions and what each can say. Dates are written in this folder and nowhere else.
 * @module protocol/revisions/revision
 */

/** Every revision Tenon speaks, oldest first. */
export const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

/** A protocol revision. */
export type Revision = (typeof REVISIONS)[number];

/** Legacy revisions open with `initialize` and keep state; the modern ones carry all they need in each request. */
export type Era = "legacy" | "modern";

/** The revision assumed where nothing was negotiated. */
export const PROTOCOL_VERSION = "2025-03-26" satisfies Revision;

/** What a client that asks for an unknown legacy revision gets. */
export const LATEST_LEGACY = "2025-11-25" satisfies Revision;

/** What a revision can say. */
export interface Traits {
  readonly revision: Revision;
  readonly era: Era;
  /** JSON-RPC batches. */
  readonly batches: boolean;
  /** Tool annotations, audio content, progress messages, the completions capability. */
  readonly annotations: boolean;
  /** Titles, `_meta` on definitions, resource links, structured tool output, elicitation. */
  readonly structured: boolean;
  /** Icons, elicitation by URL, descriptions of implementations, several blocks in a sampling message. */
  readonly icons: boolean;
  /** Tool output of any JSON type, results with a type, caching hints, input by retry. */
  readonly stateless: boolean;
}

/** The traits of every revision. */
export const TRAITS: Readonly<Record<Revision, Traits>> = byRevision((revision) => {
  const age = REVISIONS.indexOf(revision);
  return {
    revision,
    era: age < 4 ? "legacy" : "modern",
    batches: age === 1,
    annotations: age >= 1,
    structured: age >= 2,
    icons: age >= 3,
    stateless: age >= 4,
  };
});

/** The revisions that open with `initialize`, oldest first. */
export const LEGACY_REVISIONS: readonly Revision[] = REVISIONS.filter((one) => TRAITS[one].era === "legacy");

/** The stateless revisions, oldest first. */
export const MODERN_REVISIONS: readonly Revision[] = REVISIONS.filter((one) => TRAITS[one].era === "modern");

/** One value for each revision. */
export function byRevision<T>(make: (revision: Revision) => T): Readonly<Record<Revision, T>> {
  const entries = REVISIONS.map((revision): [Revision, T] => [revision, make(revision)]);
  return Object.fromEntries(entries) as Record<Revision, T>; // one entry for each revision
}

/** Narrows a client's word to a revision of one era. */
export function isRevisionOf(era: Era, value: unknown): value is Revision {
  return findRevision(era, value) !== undefined;
}

/** The revision of one era that a client's word names. The constant, not the word: look-ups by it need no hashing. */
export function findRevision(era: Era, value: unknown): Revision | undefined {
  const traits = BY_NAME.get(value);
  return traits?.era === era ? traits.revision : undefined;
}

const BY_NAME: ReadonlyMap<unknown, Traits> = /* @__PURE__ */ new Map(
  REVISIONS.map((revision) => [revision, TRAITS[revision]]),
);

/** The revision to answer `initialize` with: the one asked for, or our own latest. */
export function negotiate(requested: unknown): Revision {
  if (requested === undefined) return PROTOCOL_VERSION;
  return isRevisionOf("legacy", requested) ? requested : LATEST_LEGACY;
}
