/**
 * @fileoverview Paginates results by size. Each page holds the items that fit and a token for the next page.
 * @module kit/output/paged
 */
import { fromBase64Url, toBase64Url } from "@tenon/internal/base64";
import { fingerprint } from "@tenon/internal/digest";
import { decodeUtf8, encodeUtf8 } from "@tenon/internal/utf8";
import { McpError } from "tenon/protocol";
import { toJson } from "./responses.js";

/** Page of items, for tools with `itemsOutput`. */
export type Page<Item> = {
  readonly type: "success";
  readonly items: Item[];
  /** Token for the next page. Absent on the last page. */
  readonly nextPageToken?: string;
  /** Tells the model how to get the next page. Absent on the last page. */
  readonly hint?: string;
};

/** Maximum size of a page as JSON, in bytes or in tokens. */
export type Budget =
  | { readonly maxBytes: number; readonly maxTokens?: never }
  | {
      readonly maxTokens: number;
      readonly maxBytes?: never;
      /** Counts tokens. @default one token per two UTF-8 bytes, a high estimate for JSON */
      readonly countTokens?: (text: string) => number;
    };

/** Options for `paged`. */
export type PageOptions = Budget & {
  /** The `nextPageToken` from the previous page, as sent by the client. @default the first page is returned */
  readonly pageToken?: string | undefined;
};

/**
 * Returns the items that fit in a budget, and a token for the next page. A page has at least one item, even if that
 * item is larger than the budget. Items may be added or removed between two pages: the next page starts after the
 * previous page's last item.
 *
 * @throws {McpError} `INVALID_PARAMS` if the token is invalid, or the previous page's last item no longer exists
 * @example return paged(messages, { maxTokens: 4000, pageToken: args.pageToken });
 */
export function paged<Item>(items: readonly Item[], options: PageOptions): Page<Item> {
  const { limit, measure } = parseBudget(options);
  const start = options.pageToken === undefined ? 0 : findStart(items, options.pageToken);
  const rest = items.length - start;
  let room =
    limit -
    measure(toJson(makePage([], { end: items.length, total: items.length, nextPageToken: WIDEST_TOKEN })));
  const chosen: Item[] = [];
  for (const item of items.slice(start)) {
    room -= measure(`${toJson(item)},`);
    if (room < 0 && chosen.length > 0) break;
    chosen.push(item);
    if (room < 0) break;
  }
  const last = chosen.at(-1);
  if (last === undefined || chosen.length === rest) return { type: "success", items: chosen };
  const end = start + chosen.length;
  return makePage(chosen, { end, total: items.length, nextPageToken: writeToken(end, last) });
}

function makePage<Item>(
  items: Item[],
  {
    end,
    total,
    nextPageToken,
  }: { readonly end: number; readonly total: number; readonly nextPageToken: string },
): Page<Item> {
  const hint =
    `Showing items ${end - items.length + 1} to ${end} of ${total}. ` +
    `For more, call again with the same arguments and this nextPageToken as pageToken.`;
  return { type: "success", items, nextPageToken, hint };
}

interface Measure {
  readonly limit: number;
  readonly measure: (text: string) => number;
}

function parseBudget(options: PageOptions): Measure {
  const { maxBytes, maxTokens } = options;
  if ((maxBytes === undefined) === (maxTokens === undefined)) {
    const got = maxBytes === undefined ? "neither" : "both";
    throw new TypeError(`Set exactly one of \`maxBytes\` and \`maxTokens\`; got ${got}.`);
  }
  const limit = maxBytes ?? maxTokens;
  if (limit === undefined || !(limit > 0)) {
    const name = maxBytes === undefined ? "maxTokens" : "maxBytes";
    throw new RangeError(`\`${name}\` must be a positive number; got ${String(limit)}.`);
  }
  if (options.maxBytes !== undefined) return { limit, measure: bytesOf };
  return { limit, measure: options.countTokens ?? ((text) => bytesOf(text) / 2) };
}

function bytesOf(text: string): number {
  return encodeUtf8(text).length;
}

/** Formats a token: version, end position, last item's fingerprint, and checksum, joined by dots, in base64url. */
function writeToken(end: number, last: unknown): string {
  const body = `1.${end.toString(36)}.${fingerprint(toJson(last))}`;
  return toBase64Url(encodeUtf8(`${body}.${fingerprint(body)}`));
}

/** Text as long as the longest possible token. */
const WIDEST_TOKEN = "w".repeat(54);
const MAX_TOKEN = 200;

function findStart(items: readonly unknown[], token: string): number {
  const { end, print } = parseToken(token);
  const isLast = (index: number) => fingerprint(toJson(items[index])) === print;
  // The search starts at the previous position, so that the nearest of several equal items is found. The client
  // controls this position, so it may be out of range.
  const was = Math.min(end, items.length) - 1;
  for (let away = 0; away < items.length; away++) {
    if (was - away >= 0 && isLast(was - away)) return was - away + 1;
    if (away > 0 && was + away < items.length && isLast(was + away)) return was + away + 1;
  }
  throw new McpError(
    "INVALID_PARAMS",
    "The list has changed since this pageToken was issued. Call again without it to start at the first page.",
  );
}

function parseToken(token: string): { readonly end: number; readonly print: string } {
  const bytes = typeof token === "string" && token.length <= MAX_TOKEN ? fromBase64Url(token) : undefined;
  const text = bytes === undefined ? undefined : decodeUtf8(bytes);
  const found = /^(1\.([0-9a-z]{1,10})\.([0-9a-z]{1,11}))\.([0-9a-z]{1,11})$/.exec(text ?? "");
  const [, body = "", end = "", print = "", check] = found ?? [];
  const at = Number.parseInt(end, 36);
  if (found === null || check !== fingerprint(body) || !Number.isSafeInteger(at) || at < 1) {
    throw new McpError(
      "INVALID_PARAMS",
      "This pageToken is invalid. Call again without it to start at the first page.",
    );
  }
  return { end: at, print };
}
