import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readClientAddress } from "../../../src/transport/http/limits/client-address.js";

describe("the client's address behind trusted proxies", () => {
  test.each<[string, string | null | undefined, number, string]>([
    ["one entry", "192.0.2.1", 1, "192.0.2.1"],
    ["an entry with a port", "192.0.2.1:4711", 1, "192.0.2.1"],
    ["the entry of the only proxy", "203.0.113.9, 192.0.2.1", 1, "192.0.2.1"],
    ["the entry of the first of two proxies", "6.6.6.6, 192.0.2.1, 10.0.0.1", 2, "192.0.2.1"],
    ["spaces", " 192.0.2.1 ", 1, "192.0.2.1"],
    ["an IPv6 address", "2001:DB8:1:2:3:4:5:6", 1, "2001:db8:1:2::/64"],
    ["an IPv6 address with brackets and a port", "[2001:db8::1]:4711", 1, "2001:db8:0:0::/64"],
    ["a mapped IPv4 address", "::ffff:192.0.2.1", 1, "192.0.2.1"],
    ["a zone", "fe80::1%eth0", 1, "fe80:0:0:0::/64"],
    ["fewer entries than proxies", "192.0.2.1", 2, "unknown"],
    ["an empty entry", "192.0.2.1,", 1, "unknown"],
    ["an empty header", "", 1, "unknown"],
    ["no header", undefined, 1, "unknown"],
    ["no header in a web request", null, 1, "unknown"],
    ["a hidden address", "unknown", 1, "unknown"],
    ["a host name", "example.com", 1, "unknown"],
    ["numbers that are too large", "192.0.2.256", 1, "unknown"],
    ["numbers with leading zeros", "192.0.2.01", 1, "unknown"],
    ["too many groups", "1:2:3:4:5:6:7:8:9", 1, "unknown"],
    ["a header that is too long", `${"192.0.2.2,".repeat(300)}192.0.2.1`, 1, "unknown"],
  ])("%s", (_case, header, proxies, expected) => {
    expect(readClientAddress(header, proxies)).toBe(expected);
  });

  test("never depends on what the client writes before the entries of the proxies", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 500 }), fc.ipV4(), fc.ipV4(), (forged, client, proxy) => {
        expect(readClientAddress(`${forged}, ${client}`, 1)).toBe(client);
        expect(readClientAddress(`${forged}, ${client}, ${proxy}`, 2)).toBe(client);
      }),
    );
  });

  test("counts a /64 network as one client", () => {
    const hex = fc.nat(0xffff).map((group) => group.toString(16));
    const four = fc.tuple(hex, hex, hex, hex).map((groups) => groups.join(":"));
    fc.assert(
      fc.property(
        four.filter((text) => !/^(0:){3}0$/.test(text)),
        four,
        four,
        (network, first, second) => {
          expect(readClientAddress(`${network}:${first}`, 1)).toBe(
            readClientAddress(`${network}:${second}`, 1),
          );
        },
      ),
    );
  });
});
