/**
 * @fileoverview Hosts and addresses in the network of a server, in every spelling that a URL allows.
 * @module tools/attack/corpora/ssrf-hosts
 */

/** Addresses that must never be requested, as a resolver returns them. */
export const INNER_ADDRESSES: readonly string[] = [
  "127.0.0.1",
  "127.255.255.254",
  "0.0.0.0",
  "10.0.0.1",
  "10.255.255.255",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "192.168.255.255",
  "100.64.0.1",
  "100.127.255.255",
  "169.254.0.1",
  "169.254.169.254",

  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "fe80::1",
  "fe80::1%eth0",
  "febf::1",
  "fc00::1",
  "fd00:ec2::254",
  "fdff::1",
  "ff02::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:10.0.0.1",
  "::ffff:169.254.169.254",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::a00:1",
  "2002:7f00:1::",
  "2002:a9fe:a9fe::1",
  "2001:0:7f00:1::",
  "100::1",
  "2001:db8::1",
  "fec0::1",
  "192.0.2.1",
  "203.0.113.1",
];

/** Hosts that must never be requested, as they appear in a URL. */
export const INNER_HOSTS: readonly string[] = [
  ...INNER_ADDRESSES.filter((address) => !address.includes("%")).map((address) =>
    address.includes(":") ? `[${address}]` : address,
  ),

  "127.1",
  "127.0.1",
  "0",
  "0x7f.1",
  "0x7f000001",
  "0X7F.0.0.1",
  "017700000001",
  "0177.0.0.1",
  "2130706433",

  "127.0.0.1.",
  "127.000.000.001",
  "0x7f.0x0.0x0.0x1",
  "10.1",
  "0xa9fea9fe",
  "2852039166",
  "0251.0376.0251.0376",

  "%31%32%37.0.0.1",
  "127%2e0.0.1",
  "\uff11\uff12\uff17.0.0.1",
  "127\u30020\u30020\u30021",
  "\u2460\u2461\u2466.0.0.1",

  "[0:0:0:0:0:0:0:1]",
  "[0000::0001]",
  "[::FFFF:127.0.0.1]",
  "[0:0:0:0:0:ffff:7f00:0001]",
  "[::ffff:0:127.0.0.1]",

  "localhost",
  "LOCALHOST",
  "localhost.",
  "localhost..",
  "app.localhost",
  "app.localhost.",
  "loc\u00adalhost",

  "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3",
  "intranet",
  "db",
  "printer.local",
  "metadata.google.internal",

  "router.lan",
  "nas.home.arpa",
  "host.localdomain",
  "METADATA.GOOGLE.INTERNAL.",
  "kubernetes.default.svc.cluster.local",
];

/** Other parts of a URL that change where a request goes, or that only a local service accepts. */
export const INNER_URLS: readonly string[] = [
  "http://keys.example/jwks.json",
  "http://issuer.example/jwks.json",
  "ftp://keys.example/jwks.json",

  "file:///etc/passwd",
  "gopher://keys.example/x",
  "data:application/json,{}",
  "ws://keys.example/",
  "jar:https://x",

  "https://user@keys.example/",
  "https://user:password@keys.example/",
  "https://issuer.example@127.0.0.1/",

  "https://keys.example:22/",
  "https://keys.example:25/",
  "https://keys.example:80/",
  "https://keys.example:6/",

  "//127.0.0.1/",
  "/jwks.json",
  "jwks.json",
  "",
  " ",
  "https://",

  "https:127.0.0.1",
  "https:\\\\127.0.0.1",

  "https://127.0.0.1\\@keys.example/",
  "https://127.0.0.1#@keys.example/",
  "https://127.0.0.1?@keys.example/",
  "https://keys.example/#fragment",
  "https://keys.example/\r\nX: 1",
  "https://keys.example /",
];
