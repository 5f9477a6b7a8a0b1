/**
 * @fileoverview Values of the headers that are checked before the body is read, with the expected decision.
 * @module tools/attack/corpora/access-headers
 */
import type { HeaderLine } from "../clients/messages.js";

/** Expected decision. `either` is for requests without a security effect that the adapters treat differently. */
export type Verdict = "accept" | "reject" | "either";

/** Headers of one name, and the decision on each endpoint. */
export interface HeaderCase {
  readonly lines: readonly HeaderLine[];
  readonly verdict: { readonly node: Verdict; readonly fetch: Verdict };
}

/** Creates the cases of a header: one line per value. */
function cases(
  name: string,
  verdict: Verdict | HeaderCase["verdict"],
  values: readonly (readonly string[])[],
): readonly HeaderCase[] {
  const both = typeof verdict === "string" ? { node: verdict, fetch: verdict } : verdict;
  return values.map((list) => ({ lines: list.map((value): HeaderLine => [name, value]), verdict: both }));
}

const one = (...values: readonly string[]) => values.map((value) => [value]);

/** Host: allowed, foreign, malformed, missing, duplicate. */
export const HOSTS: readonly HeaderCase[] = [
  ...cases("Host", "accept", one("localhost", "127.0.0.1:3000", "[::1]", "LocalHost:65535")),
  ...cases(
    "Host",
    "reject",
    one("evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "127.0.0.2"),
  ),
  ...cases(
    "Host",
    "reject",
    one("", "localhost:65536", "evil@localhost", "localhost/", "localhost, evil.example"),
  ),
  // The fetch handler falls back to the host of the URL, which is allowed.
  ...cases("Host", { node: "reject", fetch: "accept" }, [[]]),
  ...cases("Host", "reject", [
    ["localhost", "evil.example"],
    ["evil.example", "localhost"],
  ]),
  ...cases("host", "either", [["localhost", "localhost"]]),
];

/** Origin: missing, allowed, foreign, malformed, duplicate. */
export const ORIGINS: readonly HeaderCase[] = [
  ...cases("Origin", "accept", [[], ["http://localhost"], ["https://127.0.0.1:8443"], ["HTTP://[::1]:3000"]]),
  ...cases("Origin", "reject", one("http://evil.example", "https://localhost.evil.example", "null")),
  ...cases("Origin", "reject", one("", "localhost", "http://localhost/path", "http://evil@localhost")),
  ...cases("Origin", "reject", [
    ["http://localhost", "http://evil.example"],
    ["http://evil.example", "http://localhost"],
    ["http://localhost", "http://localhost"],
  ]),
];

/** Content-Type: allowed, types that pages can send without a preflight, malformed, missing, duplicate. */
export const CONTENT_TYPES: readonly HeaderCase[] = [
  ...cases(
    "Content-Type",
    "accept",
    one("application/json", "application/json; charset=utf-8", "APPLICATION/JSON"),
  ),
  ...cases(
    "Content-Type",
    "reject",
    one("text/plain", "application/x-www-form-urlencoded", "application/jsonp"),
  ),
  ...cases(
    "Content-Type",
    "reject",
    one("multipart/form-data; boundary=application/json", "text/plain;application/json"),
  ),
  ...cases(
    "Content-Type",
    "reject",
    one("", "application", "application/json/x", "application/json, text/plain"),
  ),
  ...cases("Content-Type", "reject", [
    [],
    ["application/json", "text/plain"],
    ["text/plain", "application/json"],
  ]),
  ...cases("content-type", "either", [["application/json", "application/json"]]),
];

/** Accept: missing, allowed, other types, malformed, duplicate. */
export const ACCEPTS: readonly HeaderCase[] = [
  ...cases("Accept", "accept", [
    [],
    ["application/json, text/event-stream"],
    ["*/*"],
    ["text/html;q=0.5, application/json;q=0.1"],
    ["application/json", "text/event-stream"],
  ]),
  ...cases("Accept", "reject", one("text/html", "image/*", "application/jsonp")),
  ...cases("Accept", "reject", one("json", ",,", "x-application/json")),
];
