import { isIP } from "node:net";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AddressKind, addressKindOf } from "../src/security/ip-address.js";

/** Addresses of each kind, with the first and last address of most networks. */
const ADDRESSES: Readonly<Record<AddressKind, readonly string[]>> = {
  public: [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "[2606:4700:4700::1111]",
    "2001:4860:4860::8888",
    "2a00:1450::1",
    "::ffff:8.8.8.8",
    "::ffff:808:808",
    "64:ff9b::8.8.8.8", // NAT64
    "2606:4700::5efe:8.8.8.8", // ISATAP
  ],
  loopback: [
    "127.0.0.0",
    "127.0.0.1",
    "127.255.255.255",
    "::1",
    "[::1]",
    "0:0:0:0:0:0:0:1",
    "::1%lo",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:0:127.0.0.1", // IPv4-translated
    "::127.0.0.1", // IPv4-compatible
    "64:ff9b::127.0.0.1", // NAT64
    "64:ff9b::7f00:1",
    "2002:7f00:1::", // 6to4
    "2001:0:808:808:0:0:80ff:fffe", // Teredo
    "2606:4700::5efe:127.0.0.1", // ISATAP
    "2606:4700::200:5efe:7f00:1",
  ],
  private: [
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.168.0.0",
    "192.168.255.255",
    "198.18.0.0",
    "198.19.255.255",
    "fc00::1",
    "fdff:ffff::1",
    "fec0::1",
    "::ffff:10.0.0.1",
    "64:ff9b::192.168.1.1",
    "2002:a00:1::1",
    "2002:c0a8:101::",
  ],
  "link-local": [
    "169.254.0.0",
    "169.254.255.255",
    "fe80::1",
    "fe80::1%eth0",
    "febf::1",
    "::ffff:169.254.1.1",
  ],
  "cloud-metadata": [
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "64:ff9b::169.254.169.254",
    "2002:a9fe:a9fe::",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd20:ce::254",
  ],
  unspecified: [
    "0.0.0.0",
    "0.1.2.3",
    "0.255.255.255",
    "::2",
    "::",
    "[::]",
    "0:0:0:0:0:0:0:0",
    "::ffff:0.0.0.0",
  ],
  multicast: ["224.0.0.0", "239.255.255.255", "ff00::", "ff02::1", "ffff::1", "::ffff:224.0.0.1"],
  broadcast: ["255.255.255.255", "::ffff:255.255.255.255"],
  reserved: [
    "192.0.0.0",
    "192.0.2.1",
    "192.88.99.1",
    "198.51.100.1",
    "203.0.113.1",
    "240.0.0.0",
    "255.255.255.254",
    "::8.8.8.8", // IPv4-compatible
    "::ffff:0:8.8.8.8",
    "64:ff9b:1::8.8.8.8", // NAT64 of a private network
    "100::1",
    "2001:0:808:808:0:0:f7f7:f7f7", // Teredo
    "2001:2::1",
    "2001:10::1",
    "2001:1ff::1",
    "2001:db8::1",
    "2002:808:808::1", // 6to4
    "3fff::1",
    "5f00::1",
    "4000::1",
    "1::1",
  ],
};

const CASES = Object.entries(ADDRESSES).flatMap(([kind, all]) =>
  all.map((address) => [address, kind] as const),
);

describe("addressKindOf", () => {
  test("the table has at least 60 addresses", () => {
    expect(CASES.length).toBeGreaterThanOrEqual(60);
  });

  test.each(CASES)("%s is %s", (address, kind) => {
    expect(addressKindOf(address)).toBe(kind);
  });

  test.each([
    "",
    "localhost",
    "example.com",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "127.0.0.01",
    "127.0.0.256",
    "127.0.0.1.",
    " 127.0.0.1",
    "127.0.0.1\n",
    "127.0.0.1:80",
    "[127.0.0.1]",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8:9",
    "::12345",
    "::g",
    "::1.2.3",
    "::1.2.3.256",
    "1.2.3.4::",
    "[::1",
    `::1%${"x".repeat(200)}`,
  ])("%j is not an address", (text) => {
    expect(addressKindOf(text)).toBeUndefined();
  });

  test("accepts exactly the addresses that Node.js accepts", () => {
    const part = fc.oneof(
      fc.constantFrom(":", "::", ".", "0", "1", "ffff", "127.0.0.1", "255", "256", "fe80", "00"),
      fc.nat({ max: 300 }).map(String),
    );
    const text = fc.array(part, { maxLength: 17 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(text, fc.ipV4(), fc.ipV6()), (address) => {
        expect(addressKindOf(address) !== undefined).toBe(isIP(address) !== 0);
      }),
      { numRuns: 2_000 },
    );
  });
});
