/**
 * @fileoverview Protocol revisions and their features. Revision dates appear only in this folder.
 * @module tenon/protocol/revisions/revision
 */

/** Supported revisions, oldest first. */
export const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

/** Supported protocol revision. */
export type Revision = (typeof REVISIONS)[number];

/** Legacy revisions start with `initialize` and keep state. Modern revisions are stateless. */
export type Era = "legacy" | "modern";

/** Revision assumed when none was negotiated. */
export const PROTOCOL_VERSION = "2025-03-26" satisfies Revision;

/** Latest legacy revision, offered to clients that request an unsupported one. */
export const LATEST_LEGACY = "2025-11-25" satisfies Revision;

/** Features that a revision supports. */
export interface Traits {
  readonly revision: Revision;
  readonly era: Era;
  /** JSON-RPC batches. */
  readonly batches: boolean;
  /** `annotations` on tools. */
  readonly toolAnnotations: boolean;
  /** Content blocks of type `audio`. */
  readonly audioContent: boolean;
  /** `message` on progress notifications. */
  readonly progressMessages: boolean;
  /** `completions` server capability. */
  readonly completionsCapability: boolean;
  /** `outputSchema` on tools and `structuredContent` on results. */
  readonly structuredOutput: boolean;
  /** `title` on definitions, prompt arguments, and implementations. */
  readonly titles: boolean;
  /** `_meta` on definitions. */
  readonly definitionMeta: boolean;
  /** Content blocks of type `resource_link`. */
  readonly resourceLinks: boolean;
  /** Form elicitation. */
  readonly formElicitation: boolean;
  /** `MCP-Protocol-Version` request header. */
  readonly versionHeader: boolean;
  /** `icons` on definitions. */
  readonly icons: boolean;
  /** `description`, `websiteUrl`, and `icons` on implementations. */
  readonly implementationDetails: boolean;
  /** URL elicitation, and the `mode` member that distinguishes it from forms. */
  readonly urlElicitation: boolean;
  /** `elicitationId` on URL elicitation. */
  readonly elicitationIds: boolean;
  /** `execution` on tools: support for tasks, which only this revision has. */
  readonly toolExecution: boolean;
  /** Tools in sampling requests. */
  readonly samplingTools: boolean;
  /** Multiple content blocks in one sampling message. */
  readonly samplingBlocks: boolean;
  /** Event streams that the server may close early so that the client polls. */
  readonly streamPolling: boolean;
  /** Self-contained requests, without `initialize` and sessions. */
  readonly stateless: boolean;
  /** Structured tool output of any JSON type, not only objects. */
  readonly anyOutputType: boolean;
  /** `input_required` results, to which the client responds by repeating its request. */
  readonly inputByRetry: boolean;
  /** Tool arguments repeated in request headers. */
  readonly paramHeaders: boolean;
  /** `ttlMs` and `cacheScope` on lists and resources. */
  readonly cacheHints: boolean;
  /** `extensions` server capability. */
  readonly extensionsCapability: boolean;
}

/** Traits by revision. */
export const TRAITS: Readonly<Record<Revision, Traits>> = byRevision((revision) => {
  const age = REVISIONS.indexOf(revision);
  return {
    revision,
    era: age < 4 ? "legacy" : "modern",
    batches: age === 1,
    toolAnnotations: age >= 1,
    audioContent: age >= 1,
    progressMessages: age >= 1,
    completionsCapability: age >= 1,
    structuredOutput: age >= 2,
    titles: age >= 2,
    definitionMeta: age >= 2,
    resourceLinks: age >= 2,
    formElicitation: age >= 2,
    versionHeader: age >= 2,
    icons: age >= 3,
    implementationDetails: age >= 3,
    urlElicitation: age >= 3,
    elicitationIds: age === 3,
    toolExecution: age === 3,
    samplingTools: age >= 3,
    samplingBlocks: age >= 3,
    streamPolling: age >= 3,
    stateless: age >= 4,
    anyOutputType: age >= 4,
    inputByRetry: age >= 4,
    paramHeaders: age >= 4,
    cacheHints: age >= 4,
    extensionsCapability: age >= 4,
  };
});

/** Revisions that start with `initialize`, oldest first. */
export const LEGACY_REVISIONS: readonly Revision[] = REVISIONS.filter((one) => TRAITS[one].era === "legacy");

/** Stateless revisions, oldest first. */
export const MODERN_REVISIONS: readonly Revision[] = REVISIONS.filter((one) => TRAITS[one].era === "modern");

/** Creates a record with one value per revision. */
export function byRevision<T>(make: (revision: Revision) => T): Readonly<Record<Revision, T>> {
  const entries = REVISIONS.map((revision): [Revision, T] => [revision, make(revision)]);
  return Object.fromEntries(entries) as Record<Revision, T>; // Safe: there is one entry for each revision
}

/** Returns a function that creates the value of a revision on first use. Later uses return the same value. */
export function onceByRevision<T extends object>(make: (revision: Revision) => T): (revision: Revision) => T {
  const made: Partial<Record<Revision, T>> = {};
  return (revision) => (made[revision] ??= make(revision));
}

/** Narrows a value to a revision of one era. */
export function isRevisionOf(era: Era, value: unknown): value is Revision {
  return findRevision(era, value) !== undefined;
}

/**
 * Finds a revision of one era. Returns the constant string instead of `value`, because lookups with it skip hashing.
 */
export function findRevision(era: Era, value: unknown): Revision | undefined {
  const traits = BY_NAME.get(value);
  return traits?.era === era ? traits.revision : undefined;
}

const BY_NAME: ReadonlyMap<unknown, Traits> = /* @__PURE__ */ new Map(
  REVISIONS.map((revision) => [revision, TRAITS[revision]]),
);

/** Returns the revision for the `initialize` result: the requested one if supported, otherwise `LATEST_LEGACY`. */
export function negotiate(requested: unknown): Revision {
  if (requested === undefined) return PROTOCOL_VERSION;
  return isRevisionOf("legacy", requested) ? requested : LATEST_LEGACY;
}
