import { describe, expect, test } from "vitest";
import { isLoopbackHost, isLoopbackHttp } from "../src/security/loopback.js";

/** One rule for listening, tokens, OAuth endpoints, and page origins. */
describe("isLoopbackHost", () => {
  test.each([
    ["localhost", true],
    ["LOCALHOST", true],
    ["127.0.0.1", true],
    ["127.0.0.2", true],
    ["127.255.255.255", true],
    ["::1", true],
    ["[::1]", true],
    ["", false],
    [" localhost", false],
    ["localhost\n", false],
    ["localhost.", false],
    ["app.localhost", false],
    ["localhost.evil.example", false],
    ["127.1", false],
    ["2130706433", false],
    ["0x7f.0.0.1", false],
    ["127.0.0.01", false],
    ["127.0.0.256", false],
    ["127.999.1.1", false],
    ["127.0.0.1.evil.example", false],
    ["127.0.0.1:80", false],
    ["128.0.0.1", false],
    ["0.0.0.0", false],
    ["::", false],
    ["[::1", false],
    ["::1%lo", false],
    ["::ffff:127.0.0.1", false],
    ["[::ffff:127.0.0.1]", false],
    ["0:0:0:0:0:0:0:1", false],
  ])("%j: %j", (host, expected) => {
    expect(isLoopbackHost(host)).toBe(expected);
  });
});

describe("isLoopbackHttp", () => {
  test.each([
    ["http://localhost", true],
    ["http://LOCALHOST:8080/path", true],
    ["http://127.0.0.2/", true],
    ["http://[::1]:80", true],
    ["http://127.1", true], // the URL standard parses it as 127.0.0.1, and so does `fetch`
    ["https://localhost", false],
    ["ftp://localhost", false],
    ["http://user@localhost", false],
    ["http://:secret@localhost", false],
    ["http://localhost@evil.example", false],
    ["http://localhost.evil.example", false],
    ["http://app.localhost", false],
    ["http://[::ffff:127.0.0.1]", false],
    ["http://127.999.1.1", false],
    ["//localhost", false],
    ["localhost", false],
    ["", false],
  ])("%j: %j", (address, expected) => {
    expect(isLoopbackHttp(address)).toBe(expected);
  });
});
