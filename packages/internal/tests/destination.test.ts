import { describe, expect, test } from "vitest";
import {
  checkAddresses,
  checkUrl,
  createDestinationRule,
  type PrivateNetworks,
  PRIVATE_NETWORKS,
} from "../src/security/destination.js";
import { defineOptions, listOptionProblems } from "../src/options/define-options.js";

const REMOTE = "https://id.example.com";

const TABLE = defineOptions("connect", { allowPrivateNetworks: PRIVATE_NETWORKS });
const privateNetworksProblem = (allowPrivateNetworks: unknown) => [
  ...listOptionProblems(TABLE, { allowPrivateNetworks }),
];

/** Returns the problem with a URL, or `undefined` if it is allowed. */
function problemOf(url: string, configured = REMOTE, allowed: PrivateNetworks = false): string | undefined {
  const check = checkUrl(url, createDestinationRule(configured, allowed));
  return check.ok ? undefined : check.problem;
}

const trust = ". If it is trusted, add its host name to `allowPrivateNetworks`";
const loopback = `the host is a loopback address${trust}`;
const local = `the host is a private address${trust}`;
const linkLocal = "the host is a link-local address";
const metadata = "the host is a cloud-metadata address";
const unspecified = "the host is an unspecified address";
const reserved = "the host is a reserved address";
const multicast = "the host is a multicast address";
const plain = "http is allowed only on loopback addresses. Use https";
const scheme = "the URL has an unsupported scheme";
const user = "the URL has a user name or password";
const port = "the port is a system port other than 443";
const malformed = "the URL is malformed";

/** URLs that a remote issuer could publish, and the problem with each. */
const URLS: readonly (readonly [url: string, problem: string | undefined])[] = [
  ["https://id.example.com/keys", undefined],
  ["https://keys.example.org/keys?tenant=1", undefined],
  ["https://id.example.com:443/", undefined],
  ["https://id.example.com:8443/", undefined],
  ["https://1.1.1.1/", undefined],
  ["https://[2606:4700:4700::1111]/", undefined],
  ["https://xn--bcher-kva.example/", undefined],
  ["https://127.0.0.1/", loopback],
  ["https://127.1/", loopback],
  ["https://127.0.1/", loopback],
  ["https://2130706433/", loopback],
  ["https://0x7f000001/", loopback],
  ["https://0x7f.0.0.1/", loopback],
  ["https://0177.0.0.1/", loopback],
  ["https://0177.0x0.00.1/", loopback],
  ["https://127.0.0.1./", loopback],
  ["https://%31%32%37.0.0.1/", loopback],
  ["https://１２７.0.0.1/", loopback],
  ["https://①②⑦.⓪.⓪.①/", loopback],
  ["https://localhost/", loopback],
  ["https://LOCALHOST/", loopback],
  ["https://localhost./", loopback],
  ["https://localhost../", loopback],
  ["https://app.localhost/", loopback],
  ["https://app.localhost./", loopback],
  ["https://[::1]/", loopback],
  ["https://[0:0:0:0:0:0:0:1]/", loopback],
  ["https://[::ffff:127.0.0.1]/", loopback],
  ["https://[::ffff:7f00:1]/", loopback],
  ["https://[::127.0.0.1]/", loopback],
  ["https://[64:ff9b::7f00:1]/", loopback],
  ["https://[2002:7f00:1::]/", loopback],
  ["https://0.0.0.0/", unspecified],
  ["https://0/", unspecified],
  ["https://[::]/", unspecified],
  ["https://10.0.0.5/", local],
  ["https://10.5/", local],
  ["https://012.0.0.5/", local],
  ["https://172.16.0.1/", local],
  ["https://192.168.1.1/", local],
  ["https://3232235777/", local],
  ["https://100.64.0.1/", local],
  ["https://[fd12:3456::1]/", local],
  ["https://[::ffff:10.0.0.5]/", local],
  ["https://keycloak/", local],
  ["https://printer.local/", local],
  ["https://vault.internal/", local],
  ["https://metadata.google.internal/", local],
  ["https://nas.home.arpa/", local],
  ["https://169.254.169.254/latest/meta-data", metadata],
  ["https://2852039166/", metadata],
  ["https://0xa9fea9fe/", metadata],
  ["https://0251.0376.0251.0376/", metadata],
  ["https://[::ffff:169.254.169.254]/", metadata],
  ["https://[fd00:ec2::254]/", metadata],
  ["https://100.100.100.200/", metadata],
  ["https://169.254.1.1/", linkLocal],
  ["https://[fe80::1]/", linkLocal],
  ["https://224.0.0.1/", multicast],
  ["https://[ff02::1]/", multicast],
  ["https://255.255.255.255/", "the host is a broadcast address"],
  ["https://240.0.0.1/", reserved],
  ["https://192.0.2.1/", reserved],
  ["https://[2001:db8::1]/", reserved],
  ["https://[2001:0:808:808::f7f7:f7f7]/", reserved],
  ["http://id.example.com/", plain],
  ["http://10.0.0.5/", plain],
  ["http://127.0.0.1/", loopback],
  ["http://localhost:9000/", loopback],
  ["http://127.1.evil.example/", plain],
  ["ftp://id.example.com/", scheme],
  ["file:///etc/passwd", scheme],
  ["data:application/json,{}", scheme],
  ["javascript:1", scheme],
  ["gopher://127.0.0.1:6379/_x", scheme],
  ["https://user@id.example.com/", user],
  ["https://:secret@id.example.com/", user],
  ["https://id.example.com@127.0.0.1/", user],
  ["https://id.example.com:22/", port],
  ["https://id.example.com:25/", port],
  ["https://id.example.com:80/", port],
  ["https://id.example.com:1023/", port],
  ["https://id.example.com:99999/", malformed],
  ["https://[fe80::1%25eth0]/", malformed],
  ["https://[::1/", malformed],
  ["https://127.0.0.256/", malformed],
  ["https://256.256.256.256/", malformed],
  ["https:///", malformed],
  ["/keys", malformed],
  ["", malformed],
];

describe("a URL from a remote server", () => {
  test("the table has at least 60 URLs", () => {
    expect(URLS.length).toBeGreaterThanOrEqual(60);
  });

  test.each(URLS)("%s: %s", (url, problem) => {
    expect(problemOf(url)).toBe(problem);
  });

  test.each(["https://evil.example.secret:22/", "https://evil:secret@127.0.0.1/", "evil-secret://a"])(
    "a problem does not repeat %s",
    (url) => {
      expect(problemOf(url)).not.toMatch(/evil|secret|127/);
    },
  );
});

describe("a configured host outside the public internet", () => {
  test.each<readonly [configured: string, url: string, problem: string | undefined]>([
    ["http://localhost:9000", "http://localhost:9000/keys", undefined],
    ["http://localhost:9000", "http://127.0.0.1:9001/keys", undefined],
    ["http://127.0.0.1:9000", "http://[::1]:9001/keys", undefined],
    ["http://localhost:9000", "https://localhost/keys", undefined],
    ["http://localhost:80", "http://localhost:80/keys", undefined],
    ["http://localhost:9000", "https://id.example.com/keys", undefined],
    ["http://localhost:9000", "http://10.0.0.5/keys", plain],
    ["http://localhost:9000", "https://10.0.0.5/keys", local],
    ["http://localhost:9000", "https://169.254.169.254/", metadata],
    ["http://localhost:9000", "http://localhost:22/", port],
    ["https://10.0.0.5", "https://10.0.0.6/keys", undefined],
    ["https://10.0.0.5", "https://192.168.0.1/keys", undefined],
    ["https://10.0.0.5", "https://keycloak/keys", undefined],
    ["https://keycloak:8443", "https://10.0.0.6/keys", undefined],
    ["https://10.0.0.5", "https://127.0.0.1/keys", loopback],
    ["https://10.0.0.5", "http://127.0.0.1/keys", loopback],
    ["https://10.0.0.5", "https://169.254.169.254/", metadata],
    ["https://169.254.1.1", "https://169.254.1.1/", linkLocal],
    ["https://169.254.169.254", "https://169.254.169.254/", metadata],
    ["https://0.0.0.0", "https://0.0.0.0/", unspecified],
    ["https://id.example.com:444", "https://id.example.com:444/keys", undefined],
  ])("%s leads to %s: %s", (configured, url, problem) => {
    expect(problemOf(url, configured)).toBe(problem);
  });
});

describe("allowPrivateNetworks", () => {
  test.each<readonly [allowed: PrivateNetworks, url: string, problem: string | undefined]>([
    [true, "https://10.0.0.5/", undefined],
    [true, "https://keycloak/", undefined],
    [true, "https://[fd12::1]/", undefined],
    [true, "https://127.0.0.1/", loopback],
    [true, "https://169.254.169.254/", metadata],
    [true, "https://[fd00:ec2::254]/", metadata],
    [true, "https://169.254.1.1/", linkLocal],
    [true, "http://10.0.0.5/", plain],
    [["10.0.0.5"], "https://10.0.0.5/", undefined],
    [["10.0.0.5"], "https://012.5/", undefined],
    [["10.0.0.5"], "https://10.0.0.6/", local],
    [["KeyCloak"], "https://keycloak./", undefined],
    [["keycloak."], "https://keycloak/", undefined],
    [["[::1]"], "https://[::1]/", undefined],
    [["localhost"], "https://localhost/", undefined],
    [["localhost"], "http://localhost/", undefined],
    [["169.254.169.254"], "https://169.254.169.254/", metadata],
    [[], "https://10.0.0.5/", local],
    [false, "https://10.0.0.5/", local],
  ])("%j and %s: %s", (allowed, url, problem) => {
    expect(problemOf(url, REMOTE, allowed)).toBe(problem);
  });

  test.each<readonly [value: unknown, got: string]>([
    ["10.0.0.5", '"10.0.0.5"'],
    [1, "1"],
    [null, "null"],
    [["https://id.example.com"], '"https://id.example.com"'],
    [["id.example.com:8443"], '"id.example.com:8443"'],
    [["id.example.com:443"], '"id.example.com:443"'],
    [["[::1]:443"], '"[::1]:443"'],
    [["a@b"], '"a@b"'],
    [["a", ""], '""'],
    [["a", undefined], "undefined"],
  ])("%j is invalid", (value, got) => {
    expect(privateNetworksProblem(value)).toEqual([
      "`allowPrivateNetworks` must be true, false, or an array of host names without a scheme and port; " +
        `got ${got}.`,
    ]);
  });

  test.each([[undefined], [true], [false], [[]], [["id.example.com"]], [["10.0.0.5", "[::1]"]]])(
    "%j is valid",
    (value) => {
      expect(privateNetworksProblem(value)).toEqual([]);
    },
  );
});

describe("the addresses of a host", () => {
  const problemWith = (
    addresses: readonly string[],
    url = "https://id.example.com/",
    configured = REMOTE,
  ) => {
    const check = checkAddresses(url, addresses, createDestinationRule(configured, ["intra.example.com"]));
    return check.ok ? undefined : check.problem;
  };

  test.each<readonly [addresses: readonly string[], problem: string | undefined]>([
    [["1.1.1.1"], undefined],
    [["1.1.1.1", "2606:4700:4700::1111"], undefined],
    [["1.1.1.1", "127.0.0.1"], loopback],
    [["127.0.0.1", "1.1.1.1"], loopback],
    [["::ffff:127.0.0.1"], loopback],
    [["1.1.1.1", "10.0.0.5"], local],
    [["169.254.169.254"], metadata],
    [["fe80::1%eth0"], linkLocal],
    [["not an address"], reserved],
    [[], "the host has no address"],
  ])("%j: %s", (addresses, problem) => {
    expect(problemWith(addresses)).toBe(problem);
  });

  test("a listed host may be private or on this machine, but never the cloud's metadata", () => {
    const url = "https://intra.example.com./";
    expect(problemWith(["10.0.0.5", "127.0.0.1"], url)).toBeUndefined();
    expect(problemWith(["10.0.0.5", "169.254.169.254"], url)).toBe(metadata);
  });

  test("without TLS, a host must be on this machine, whatever its name resolves to", () => {
    const resolved = (address: string) => problemWith([address], "http://localhost/", "http://localhost");
    expect(resolved("127.0.0.1")).toBeUndefined();
    expect(resolved("1.1.1.1")).toBe(plain);
  });
});
