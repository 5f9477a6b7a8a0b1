/**
 * @fileoverview Lists as bytes: every page of every list, for every revision, serialized once. What a principal may
 * not see is left out in views of their own, made on first use.
 * @module core/lists
 */
import { fingerprint } from "@tenon/internal/digest";
import type { JsonObject } from "@tenon/internal/json";
import {
  byRevision,
  type CacheHint,
  type ResultEncoder,
  REVISIONS,
  type Revision,
  type Traits,
} from "../../protocol/index.js";
import type { Auth } from "../wire/exchange.js";
import { Payload } from "../wire/response.js";

/** Something that stands in a list. */
export interface Listed {
  readonly scopes: readonly string[];
}

/** A list before it is serialized. */
export interface ListSource<Item extends Listed> {
  /** The member of the result that holds the items. */
  readonly key: string;
  readonly items: readonly Item[];
  readonly project: (item: Item, traits: Traits) => JsonObject;
}

/** Page size and lifetime of lists. */
export interface ListOptions {
  /** Most items on a page; all of them on one where absent. */
  readonly pageSize: number | undefined;
  readonly ttlMs: number;
}

/** One encoder for each revision. */
export type Encoders = Readonly<Record<Revision, ResultEncoder>>;

/** A list that is ready to be served. */
export interface ServedList {
  /** The payload of a page, or nothing for a cursor that this list never gave out. */
  page(revision: Revision, cursor: string | undefined, auth: Auth | undefined): Payload | undefined;
}

/** Serializes a list. */
export function createList<Item extends Listed>(
  source: ListSource<Item>,
  encoders: Encoders,
  options: ListOptions,
): ServedList {
  const scopes = [...new Set(source.items.flatMap((item) => item.scopes))].toSorted();
  const cache: CacheHint = { ttlMs: options.ttlMs, cacheScope: scopes.length > 0 ? "private" : "public" };
  const build = (items: readonly Item[]) =>
    buildView({ source: { ...source, items }, encoders, pageSize: options.pageSize, cache });
  const everything = build(source.items);
  const views = new Map<string, View>();

  const viewOf = (auth: Auth): View => {
    const held = scopes.filter((scope) => auth.scopes.includes(scope));
    if (held.length === scopes.length) return everything;
    const key = held.join(" ");
    const known = views.get(key);
    if (known !== undefined) return known;
    const view = build(source.items.filter((item) => isAllowed(item, auth)));
    // Bounded: the oldest view goes, and is made again if it is asked for.
    if (views.size >= MAX_VIEWS) views.delete(views.keys().next().value ?? "");
    views.set(key, view);
    return view;
  };

  return {
    page(revision, cursor, auth) {
      const view = auth === undefined || scopes.length === 0 ? everything : viewOf(auth);
      return cursor === FIRST ? undefined : view[revision].get(cursor ?? FIRST);
    },
  };
}

/** Checks whether a principal holds every scope of an entry. Without authorization everything is allowed. */
export function isAllowed(entry: Listed, auth: Auth | undefined): boolean {
  if (auth === undefined) return true;
  for (const scope of entry.scopes) {
    if (!auth.scopes.includes(scope)) return false;
  }
  return true;
}

/** Pages by cursor, for each revision. */
type View = Readonly<Record<Revision, ReadonlyMap<string, Payload>>>;

const FIRST = "";
const MAX_VIEWS = 64;

interface ViewParts<Item extends Listed> {
  readonly source: ListSource<Item>;
  readonly encoders: Encoders;
  readonly pageSize: number | undefined;
  readonly cache: CacheHint;
}

function buildView<Item extends Listed>({ source, encoders, pageSize, cache }: ViewParts<Item>): View {
  const { key, items, project } = source;
  const size = Math.max(pageSize ?? items.length, 1);
  const pageCount = Math.max(Math.ceil(items.length / size), 1);
  // The same list has the same cursors on every node; another list knows none of them.
  const digest =
    pageCount === 1
      ? ""
      : fingerprint(JSON.stringify(items.map((item) => project(item, encoders[NEWEST].traits))));
  const cursorOf = (page: number) => (page === 0 ? FIRST : `${page.toString(36)}.${digest}`);
  // Revisions that say the same share their bytes.
  const shared = new Map<string, Payload>();
  return byRevision((revision) => {
    const encoder = encoders[revision];
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

const NEWEST: Revision = REVISIONS[REVISIONS.length - 1] ?? REVISIONS[0];
