import * as fc from "fast-check";
import { isIP } from "node:net";
import { describe, expect, test } from "vitest";
import { addressGroup, findClientAddress, parseProxies } from "../../src/limits/client-address.js";

const trust = (proxies: readonly string[], header: "x-forwarded-for" | "forwarded" = "x-forwarded-for") => ({
  proxies: parseProxies(proxies),
  header,
});

describe("the client's address", () => {
  test.each([
    ["no proxy is trusted", "10.0.0.1", "1.2.3.4", [], "10.0.0.1"],
    ["the proxy is trusted", "10.0.0.1", "1.2.3.4", ["10.0.0.0/8"], "1.2.3.4"],
    ["the client forged an entry", "10.0.0.1", "6.6.6.6, 1.2.3.4", ["10.0.0.0/8"], "1.2.3.4"],
    [
      "two proxies are trusted",
      "127.0.0.1",
      "6.6.6.6, 1.2.3.4, 10.9.9.9",
      ["loopback", "10.0.0.0/8"],
      "1.2.3.4",
    ],
    ["the second proxy is not trusted", "127.0.0.1", "1.2.3.4, 10.9.9.9", ["loopback"], "10.9.9.9"],
    ["every hop is trusted", "127.0.0.1", "10.0.0.2,10.0.0.1", ["loopback", "10.0.0.0/8"], "10.0.0.2"],
    ["the socket has an IPv4-mapped address", "::ffff:127.0.0.1", "1.2.3.4", ["loopback"], "1.2.3.4"],
    ["the header has an IPv4-mapped address", "127.0.0.1", "::FFFF:1.2.3.4", ["loopback"], "1.2.3.4"],
    ["the header has a mapped address in hex", "127.0.0.1", "::ffff:102:304", ["loopback"], "1.2.3.4"],
    ["there is a port", "::1", "1.2.3.4:5678", ["loopback"], "1.2.3.4"],
    ["there are brackets and a port", "::1", "[2001:DB8::1]:5678", ["loopback"], "2001:db8::1"],
    ["there is a zone", "fe80::1%eth0", "1.2.3.4", ["fe80::/10"], "1.2.3.4"],
    ["the entry is malformed", "127.0.0.1", "1.2.3.4, nonsense", ["loopback"], "127.0.0.1"],
    ["the entry is hidden", "127.0.0.1", "unknown", ["loopback"], "127.0.0.1"],
    ["the entry is empty", "127.0.0.1", "1.2.3.4,", ["loopback"], "127.0.0.1"],
    ["brackets hold IPv4", "127.0.0.1", "[1.2.3.4]", ["loopback"], "127.0.0.1"],
    ["numbers are too large", "127.0.0.1", "1.2.3.400", ["loopback"], "127.0.0.1"],
    ["the header is empty", "127.0.0.1", "", ["loopback"], "127.0.0.1"],
    [
      "the header is long and its end is valid",
      "127.0.0.1",
      `${"9.9.9.9,".repeat(5_000)}1.2.3.4`,
      ["loopback"],
      "1.2.3.4",
    ],
    ["the entry is too long", "127.0.0.1", "1".repeat(100_000), ["loopback"], "127.0.0.1"],
    [
      "the chain has too many proxies",
      "127.0.0.1",
      `1.2.3.4${",127.0.0.1".repeat(40)}`,
      ["loopback"],
      "127.0.0.1",
    ],
  ])("if %s", (_case, socket, header, proxies, expected) => {
    expect(findClientAddress(socket, header, trust(proxies))).toBe(expected);
  });

  test.each([
    ["for=1.2.3.4", "1.2.3.4"],
    ["For=1.2.3.4;proto=https;by=203.0.113.43", "1.2.3.4"],
    ['proto=https;for="[2001:db8::17]:4711"', "2001:db8::17"],
    ["for=6.6.6.6, for=1.2.3.4", "1.2.3.4"],
    ['for="6.6.6.6, for=1.2.3.4', "1.2.3.4"],
    ["for=unknown", "127.0.0.1"],
    ["for=_hidden", "127.0.0.1"],
    ["proto=https", "127.0.0.1"],
    ["1.2.3.4", "127.0.0.1"],
  ])("reads Forwarded: %s", (header, expected) => {
    expect(findClientAddress("127.0.0.1", header, trust(["loopback"], "forwarded"))).toBe(expected);
  });

  test("is undefined if the socket has no address, and the socket's address without configuration", () => {
    expect(findClientAddress(undefined, "1.2.3.4", trust(["loopback"]))).toBeUndefined();
    expect(findClientAddress("10.0.0.1", "1.2.3.4", undefined)).toBe("10.0.0.1");
    expect(findClientAddress("127.0.0.1", undefined, trust(["loopback"]))).toBe("127.0.0.1");
  });

  test.each([
    "",
    "localhost",
    "10.0.0.0/0",
    "::/0",
    "10.0.0.0/33",
    "10.0.0.0/8/8",
    "10.0.0.0/",
    "10.0.0.0/a",
    "1.2.3",
  ])("%j is not a valid proxy", (proxy) => {
    expect(() => parseProxies([proxy])).toThrow("`trustProxy` entries must be an IP address");
  });

  test.each([
    ["1.2.3.4", "1.2.3.4"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["64:ff9b::1.2.3.4", "64:ff9b:0:0::/64"],
  ])("%s is counted as %s", (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });

  test("is always a valid address for any header (property)", () => {
    const entry = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.string(),
      fc.constantFrom("127.0.0.1", "::1", "unknown", ","),
    );
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 50 }),
        fc.constantFrom("x-forwarded-for", "forwarded"),
        (entries, header) => {
          const found = findClientAddress("127.0.0.1", entries.join(","), trust(["loopback"], header)) ?? "";
          expect(isIP(found)).not.toBe(0);
          expect(addressGroup(found)).not.toBe("");
        },
      ),
    );
  });

  test("a /64 network counts as one client (property)", () => {
    const hex = fc.nat(0xffff).map((group) => group.toString(16));
    const four = fc.tuple(hex, hex, hex, hex).map((groups) => groups.join(":"));
    fc.assert(
      fc.property(four, four, four, (network, first, second) => {
        expect(addressGroup(`${network}:${first}`)).toBe(addressGroup(`${network}:${second}`));
      }),
    );
  });
});
