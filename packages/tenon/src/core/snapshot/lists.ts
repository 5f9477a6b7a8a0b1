/**
 * @fileoverview Serializes every list page once per protocol revision. Principals that lack scopes get filtered views,
 * which are built on first use.
 * @module tenon/core/snapshot/lists
 */
import { fingerprint } from "@tenon/internal/digest";
import type { JsonObject } from "@tenon/internal/json";
import { type ResultEncoder, REVISIONS, type Revision, type Traits } from "../../protocol/index.js";
import type { CacheHint } from "../../protocol/revisions/encoder.js";
import { onceByRevision } from "../../protocol/revisions/revision.js";
import { isAllowed } from "../wire/access.js";
import type { Auth } from "../wire/exchange.js";
import { Payload } from "../wire/response.js";
import { createScopedViews } from "./scoped-views.js";

/** List entry. Only principals with all of its scopes see it. */
export interface Listed {
  readonly scopes: readonly string[];
}

/** Parts of a list entry that require scopes of their own, such as the actions of a grouped tool. */
export interface ListedParts<Item> {
  /** Scopes that at least one part requires. */
  readonly scopes: readonly string[];
  /** Returns the entry with the parts that the caller may use, or `undefined` if there are none. */
  readonly select: (auth: Pick<Auth, "scopes">) => Item | undefined;
}

/** Items and projection from which a list is serialized. */
export interface ListSource<Item extends Listed> {
  /** Result member that holds the items, such as `tools`. */
  readonly key: string;
  /** Returns all items. Called on first use of the list. */
  readonly items: () => readonly Item[];
  /** Returns an item's parts, if any of them requires scopes. */
  readonly partsOf?: (item: Item) => ListedParts<Item> | undefined;
  /** Converts an item to the definition that a revision's clients receive. */
  readonly project: (item: Item, traits: Traits) => JsonObject;
}

/** Page size and cache lifetime for lists. */
export interface ListOptions {
  /** Maximum number of items per page. If undefined, every list has one page. */
  readonly pageSize: number | undefined;
  /** Time in milliseconds for which clients may cache a page. */
  readonly ttlMs: number;
}

/** Returns the encoder of a protocol revision. */
export type EncoderLookup = (revision: Revision) => ResultEncoder;

/** List whose pages are serialized only once. */
export interface ServedList {
  /** Fingerprint of the items and their scopes, empty without items. It is the same for the same definitions. */
  readonly digest: string;
  /** Returns a page's payload, or `undefined` if this list did not issue the cursor. */
  page(revision: Revision, cursor: string | undefined, auth: Auth | undefined): Payload | undefined;
}

/** Creates a list. A revision's pages are serialized on first use, which may be at build time. */
export function createList<Item extends Listed>(
  source: ListSource<Item>,
  encoderOf: EncoderLookup,
  options: ListOptions,
): ServedList {
  let opened: ServedList | undefined;
  const open = () => (opened ??= openList(source, encoderOf, options));
  return {
    get digest() {
      return open().digest;
    },
    page: (revision, cursor, auth) => (opened ?? open()).page(revision, cursor, auth),
  };
}

function openList<Item extends Listed>(
  { items: listItems, partsOf, ...parts }: ListSource<Item>,
  encoderOf: EncoderLookup,
  options: ListOptions,
): ServedList {
  const items = listItems();
  const scopes = items.flatMap((item) => [...item.scopes, ...(partsOf?.(item)?.scopes ?? [])]);
  const cache: CacheHint = { ttlMs: options.ttlMs, cacheScope: scopes.length > 0 ? "private" : "public" };
  const build = (shown: readonly Item[]) =>
    buildView({ source: { ...parts, items: shown }, encoderOf, pageSize: options.pageSize, cache });
  const everything = build(items);
  let digest: string | undefined;
  const viewOf = createScopedViews<View>({
    scopes,
    everything,
    build: (held) => build(items.flatMap((item) => selectFrom(item, partsOf?.(item), held))),
  });

  return {
    get digest() {
      return (digest ??= items.length === 0 ? "" : digestOf({ ...parts, items }, encoderOf));
    },
    page(revision, cursor, auth) {
      const view = auth === undefined || scopes.length === 0 ? everything : viewOf(auth);
      return cursor === FIRST ? undefined : view(revision).get(cursor ?? FIRST);
    },
  };
}

/** Returns the item as the caller sees it, or nothing if the caller may not see it. */
function selectFrom<Item extends Listed>(
  item: Item,
  parts: ListedParts<Item> | undefined,
  held: Pick<Auth, "scopes">,
): readonly Item[] {
  if (!isAllowed(item, held)) return [];
  const shown = parts === undefined ? item : parts.select(held);
  return shown === undefined ? [] : [shown];
}

/** Returns a revision's pages, by cursor. */
type View = (revision: Revision) => ReadonlyMap<string, Payload>;

const FIRST = "";

/** Items of one view, and their projection. */
interface ShownItems<Item extends Listed> extends Pick<ListSource<Item>, "key" | "project"> {
  readonly items: readonly Item[];
}

interface ViewParts<Item extends Listed> {
  readonly source: ShownItems<Item>;
  readonly encoderOf: EncoderLookup;
  readonly pageSize: number | undefined;
  readonly cache: CacheHint;
}

function buildView<Item extends Listed>({ source, encoderOf, pageSize, cache }: ViewParts<Item>): View {
  const { key, items, project } = source;
  const size = Math.max(pageSize ?? items.length, 1);
  const pageCount = Math.max(Math.ceil(items.length / size), 1);
  // Cursors contain a fingerprint of the list. Every node accepts them, and they become invalid when the list changes.
  const digest = pageCount === 1 ? "" : digestOf(source, encoderOf);
  const cursorOf = (page: number) => (page === 0 ? FIRST : `${page.toString(36)}.${digest}`);
  // Revisions whose text is identical share one payload.
  const shared = new Map<string, Payload>();
  return onceByRevision((revision) => {
    const encoder = encoderOf(revision);
    const projected = items.map((item) => project(item, encoder.traits));
    const pages = new Map<string, Payload>();
    for (let page = 0; page < pageCount; page++) {
      const nextCursor = page + 1 < pageCount ? cursorOf(page + 1) : undefined;
      const shown = projected.slice(page * size, (page + 1) * size);
      const text = encoder.list(key, shown, { nextCursor, cache });
      const payload = shared.get(text) ?? new Payload(text);
      shared.set(text, payload);
      pages.set(cursorOf(page), payload);
    }
    return pages;
  });
}

function digestOf<Item extends Listed>(
  { items, project }: ShownItems<Item>,
  encoderOf: EncoderLookup,
): string {
  const { traits } = encoderOf(NEWEST);
  return fingerprint(JSON.stringify(items.map((item) => [project(item, traits), item.scopes])));
}

const NEWEST: Revision = REVISIONS[REVISIONS.length - 1] ?? REVISIONS[0];
