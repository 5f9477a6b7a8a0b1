import { describe, expect, test } from "vitest";
import { LOOPBACK_HOSTS } from "../src/security/loopback.js";
import { checkOrigin, toHostSet } from "../src/security/origin.js";

/** The same rule applies to pages that call an HTTP endpoint and pages that open a WebSocket. */
const SETS = {
  loopback: toHostSet(LOOPBACK_HOSTS),
  host: toHostSet(["app.example"]),
  origin: toHostSet(["https://APP.example"]),
} as const;

const PASS = { ok: true };
const MALFORMED = { ok: false, reason: "malformed" };
const NOT_ALLOWED = { ok: false, reason: "not-allowed" };

describe("checkOrigin", () => {
  test.each([
    [undefined, PASS, PASS, PASS],
    [null, PASS, PASS, PASS],
    ["null", MALFORMED, MALFORMED, MALFORMED],
    ["", MALFORMED, MALFORMED, MALFORMED],
    ["http://localhost:5173", PASS, NOT_ALLOWED, NOT_ALLOWED],
    ["http://LOCALHOST", PASS, NOT_ALLOWED, NOT_ALLOWED],
    ["http://127.0.0.1", PASS, NOT_ALLOWED, NOT_ALLOWED],
    ["http://127.0.0.2", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED],
    ["http://[::1]:80", PASS, NOT_ALLOWED, NOT_ALLOWED],
    ["http://[0:0:0:0:0:0:0:1]", PASS, NOT_ALLOWED, NOT_ALLOWED],
    ["http://localhost:99999", MALFORMED, MALFORMED, MALFORMED],
    ["http://localhost@evil.example", MALFORMED, MALFORMED, MALFORMED],
    ["http://localhost.evil.example", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED],
    ["http://localhost/", MALFORMED, MALFORMED, MALFORMED],
    ["http://localhost?x", MALFORMED, MALFORMED, MALFORMED],
    ["ftp://localhost", MALFORMED, MALFORMED, MALFORMED],
    ["https://app.example", NOT_ALLOWED, PASS, PASS],
    ["https://APP.example", NOT_ALLOWED, PASS, PASS],
    ["http://app.example", NOT_ALLOWED, PASS, NOT_ALLOWED],
    ["https://app.example:8443", NOT_ALLOWED, PASS, NOT_ALLOWED],
    ["https://evil.example", NOT_ALLOWED, NOT_ALLOWED, NOT_ALLOWED],
  ])("%j", (origin, loopback, host, full) => {
    expect(checkOrigin(origin, SETS.loopback)).toEqual(loopback);
    expect(checkOrigin(origin, SETS.host)).toEqual(host);
    expect(checkOrigin(origin, SETS.origin)).toEqual(full);
  });
});
