/**
 * @fileoverview Results within a budget: as many whole items as fit, and how to get the rest.
 * @module kit/paged
 */
import { fromBase64Url, toBase64Url } from "@tenon/internal/base64";
import { fingerprint } from "@tenon/internal/digest";
import { decodeUtf8, encodeUtf8 } from "@tenon/internal/utf8";
import { McpError } from "tenon/protocol";
import { toJson } from "./responses.js";

/** A page, ready to be the result of a tool with `itemsOutput`. */
export type Page<Item> = {
  readonly type: "success";
  readonly items: Item[];
  /** Where the next page begins; absent on the last. */
  readonly nextPageToken?: string;
  /** Tells the model how to get the rest; absent on the last page. */
  readonly hint?: string;
};

/** Maximum size of a page as JSON text, in bytes or in tokens. */
export type Budget =
  | { readonly maxBytes: number; readonly maxTokens?: never }
  | {
      readonly maxTokens: number;
      readonly maxBytes?: never;
      /** Counts a text's tokens. @default half its bytes in UTF-8, which is more than tokenizers count for JSON */
      readonly countTokens?: (text: string) => number;
    };

/** Options of `paged`. */
export type PageOptions = Budget & {
  /** The `nextPageToken` of the page before, as the client gave it. */
  readonly pageToken?: string | undefined;
};

/**
 * The items that fit in a budget, whole, and a token for those that follow. A page has at least one item, even one
 * that is larger than the budget. Items that come or go between two pages do not shift the rest, as long as the last
 * one that was shown is still there.
 *
 * @throws an `McpError` for a token that is none of ours, or whose place in the list is gone
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
    `Items up to ${end} of ${total}. ` +
    `For the next ones, call again with the same arguments and this nextPageToken as pageToken.`;
  return { type: "success", items, nextPageToken, hint };
}

interface Measure {
  readonly limit: number;
  readonly measure: (text: string) => number;
}

function parseBudget(options: PageOptions): Measure {
  const { maxBytes, maxTokens } = options;
  if ((maxBytes === undefined) === (maxTokens === undefined)) {
    throw new TypeError("paged needs maxBytes or maxTokens, and not both");
  }
  const limit = maxBytes ?? maxTokens;
  if (limit === undefined || !(limit > 0)) {
    throw new RangeError(`A budget is a positive number, not ${String(limit)}`);
  }
  if (options.maxBytes !== undefined) return { limit, measure: bytesOf };
  return { limit, measure: options.countTokens ?? ((text) => bytesOf(text) / 2) };
}

function bytesOf(text: string): number {
  return encodeUtf8(text).length;
}

/** `version.end.fingerprint of the last item.check`, in base64url. */
function writeToken(end: number, last: unknown): string {
  const body = `1.${end.toString(36)}.${fingerprint(toJson(last))}`;
  return toBase64Url(encodeUtf8(`${body}.${fingerprint(body)}`));
}

/** As long as a token can become. */
const WIDEST_TOKEN = "w".repeat(54);
const MAX_TOKEN = 200;

function findStart(items: readonly unknown[], token: string): number {
  const { end, print } = parseToken(token);
  const isLast = (index: number) => fingerprint(toJson(items[index])) === print;
  // From where it was outwards: of two equal items the nearer one is meant. Where it was is the client's word.
  const was = Math.min(end, items.length) - 1;
  for (let away = 0; away < items.length; away++) {
    if (was - away >= 0 && isLast(was - away)) return was - away + 1;
    if (away > 0 && was + away < items.length && isLast(was + away)) return was + away + 1;
  }
  throw new McpError(
    "INVALID_PARAMS",
    "The list has changed since this pageToken was given; call again without it to start at the first page",
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
      "This pageToken is not one that was given; call again without it to start at the first page",
    );
  }
  return { end: at, print };
}
