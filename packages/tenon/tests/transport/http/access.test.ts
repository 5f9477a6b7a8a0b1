import { toHostSet } from "@tenon/internal/security/origin";
import { LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { describe, expect, test } from "vitest";
import { defineServer } from "../../../src/core/define-server.js";
import {
  checkAccept,
  checkContentType,
  checkHost,
  checkPage,
  quoteHeader,
} from "../../../src/transport/http/access.js";
import { FACES, FETCH, NODE, post } from "../../../../../tests/support/http-faces.js";
import { modernPost } from "../../../../../tests/support/http-messages.js";
import { exchange, openSocket, rawPost, rawRequest } from "../../../../../tests/support/http-raw.js";
import { MODERN, modernRequest } from "../../../../../tests/support/requests.js";

const server = defineServer({ name: "access", version: "1.0.0" }).build();
const LOOPBACK = toHostSet(LOOPBACK_HOSTS);
const DISCOVER = JSON.stringify(modernRequest("server/discover"));
const DISCOVER_HEADERS = { "MCP-Protocol-Version": MODERN, "Mcp-Method": "server/discover" };

const PORTS = ["", ":80", ":3000", ":65535"];
const GOOD_NAMES = ["localhost", "LOCALHOST", "LocalHost", "127.0.0.1", "[::1]", "[0:0:0:0:0:0:0:1]"];
const EVIL_NAMES = [
  "evil.com",
  "localhost.evil.com",
  "127.0.0.1.evil.com",
  "evil.com.localhost",
  "evillocalhost",
  "localhost-evil.com",
  "localhost.",
  "localhost..",
  ".localhost",
  "127.0.0.1.",
  "127.0.0.2",
  "127.1",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "2130706433",
  "0.0.0.0",
  "[::]",
  "[::2]",
  "[::ffff:127.0.0.1]",
  "[fe80::1]",
  "192.168.0.1",
  "169.254.169.254",
  "xn--localhost",
];
const BROKEN_HOSTS = [
  "",
  " ",
  ":",
  ":3000",
  "::1",
  "[::1",
  "::1]",
  "[]",
  "[localhost]",
  "[::1]evil.com",
  "[::1].evil.com",
  "[::1]:",
  "evil@localhost",
  "evil:pw@localhost",
  "localhost@evil.com",
  "localhost:3000@evil.com",
  "localhost:80:80",
  "localhost:",
  "localhost:65536",
  "localhost:99999",
  "localhost:-1",
  "localhost:0x50",
  "localhost:port",
  "localhost/",
  "localhost/evil",
  "/localhost",
  "//localhost",
  "localhost?",
  "localhost?evil.com",
  "localhost#",
  "localhost#evil.com",
  "localhost\\evil.com",
  "localhost;evil.com",
  "localhost,evil.com",
  "localhost, evil.com",
  "localhost, localhost",
  "localhost evil.com",
  "http://localhost",
  "localhost%00",
  "%6cocalhost",
  "loc%61lhost",
  "localhost%2eevil.com",
  "local\u00adhost",
  "l\u00f6calhost",
  "*",
  "null",
];

const BAD_HOSTS = [
  ...EVIL_NAMES.flatMap((name) => PORTS.map((port) => name + port)),
  ...BROKEN_HOSTS,
  `${"a".repeat(5_000)}.localhost`,
];

const SCHEMES = ["http", "https"];
const GOOD_ORIGINS = SCHEMES.flatMap((scheme) =>
  GOOD_NAMES.flatMap((name) => PORTS.map((port) => `${scheme}://${name}${port}`)),
);
const BAD_ORIGINS = [
  ...SCHEMES.flatMap((scheme) => EVIL_NAMES.map((name) => `${scheme}://${name}`)),
  ...BROKEN_HOSTS.map((host) => `http://${host}`),
  "",
  "null",
  "NULL",
  "undefined",
  "*",
  "localhost",
  "localhost:3000",
  "127.0.0.1",
  "//localhost",
  "http:localhost",
  "http:/localhost",
  "http:///localhost",
  "http:\\\\localhost",
  "https//localhost",
  "file://",
  "file://localhost",
  "file:///localhost",
  "ftp://localhost",
  "ws://localhost",
  "data:text/html,localhost",
  "javascript:localhost",
  "chrome-extension://localhost",
  "vscode-webview://localhost",
  "about:blank",
  "blob:http://localhost",
  "http://localhost@evil.com",
  "http://localhost:80@evil.com",
  "http://evil.com#localhost",
  "http://evil.com?localhost",
  "http://evil.com/localhost",
  "http://localhost, http://evil.com",
  "http://evil.com, http://localhost",
  "http://localhost http://evil.com",
  " http://localhost:1/ ",
];

const GOOD_TYPES = [
  "application/json",
  "APPLICATION/JSON",
  "application/json;charset=utf-8",
  "application/json; charset=UTF-8",
  "application/json ; a=b; c=d",
];
const BAD_TYPES = [
  "",
  " ",
  ";",
  "json",
  "text/json",
  "text/plain",
  "text/plain; application/json",
  "text/plain;charset=application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "multipart/form-data; boundary=application/json",
  "application/jsonp",
  "application/json5",
  "application/json-patch+json",
  "application/vnd.api+json",
  "application/json, text/plain",
  "text/plain, application/json",
  "application /json",
  "application/ json",
  "application/json/",
  "*/*",
  "application/*",
];

describe("access checks", () => {
  test("cover more than 200 cases", () => {
    const tables = [BAD_HOSTS, GOOD_ORIGINS, BAD_ORIGINS, GOOD_TYPES, BAD_TYPES];
    expect(tables.flat().length + GOOD_NAMES.length * PORTS.length).toBeGreaterThan(300);
  });

  test("reject every foreign or malformed Host", () => {
    const wrong = BAD_HOSTS.filter((host) => checkHost(host, LOOPBACK).ok);
    expect(wrong).toEqual([]);
  });

  test.each(GOOD_NAMES)("accept the loopback name %s with any port", (name) => {
    const wrong = PORTS.filter((port) => !checkHost(name + port, LOOPBACK).ok);
    expect(wrong).toEqual([]);
  });

  test.each([
    [undefined, "none"],
    [null, "none"],
    ["", "none"],
    ["local host", '"local host"'],
  ])("reject a Host of %j as missing or malformed", (host, got) => {
    expect(checkHost(host, LOOPBACK)).toEqual({
      ok: false,
      status: 403,
      reason: `The Host header must be a host name with an optional port; got ${got}.`,
    });
  });

  test("name the option for a foreign Host", () => {
    expect(checkHost("evil.com", LOOPBACK)).toEqual({
      ok: false,
      status: 403,
      reason: 'Host "evil.com" is not allowed. Add it to `allowedHosts`.',
    });
  });

  test("reject every foreign or malformed Origin", () => {
    expect(BAD_ORIGINS.filter((origin) => checkPage(origin, LOOPBACK).ok)).toEqual([]);
  });

  test("accept loopback origins", () => {
    expect(GOOD_ORIGINS.filter((origin) => !checkPage(origin, LOOPBACK).ok)).toEqual([]);
  });

  test.each([undefined, null])("accept an Origin of %j, because no browser sent it", (origin) => {
    expect(checkPage(origin, LOOPBACK)).toEqual({ ok: true });
  });

  test.each([
    ["null", 'The Origin header must be an origin such as "https://example.com"; got "null".'],
    ["vscode-webview://abc", 'Origin "vscode-webview://abc" is not allowed. Add it to `allowedOrigins`.'],
    ["http://evil.com", 'Origin "http://evil.com" is not allowed. Add it to `allowedOrigins`.'],
  ])("reject the Origin %s with a reason", (origin, reason) => {
    expect(checkPage(origin, LOOPBACK)).toEqual({ ok: false, status: 403, reason });
  });

  test.each([
    ["https://app.example.com", ["https://app.example.com"], true],
    ["http://app.example.com", ["https://app.example.com"], false],
    ["https://app.example.com:8443", ["https://app.example.com"], false],
    ["https://app.example.com:8443", ["app.example.com"], true],
    ["https://xn--bcher-kva.example", ["bücher.example"], true],
    ["vscode-webview://abc", ["vscode-webview://abc"], true],
    ["vscode-webview://abd", ["vscode-webview://abc"], false],
    ["null", ["null"], false],
  ])("compare the Origin %s with %j", (origin, allowed, ok) => {
    expect(checkPage(origin, toHostSet(allowed)).ok).toBe(ok);
  });

  test.each(GOOD_TYPES)("accept the content type %s", (type) => {
    expect(checkContentType(type)).toEqual({ ok: true });
  });

  test.each([...BAD_TYPES, undefined, null])("reject the content type %j", (type) => {
    expect(checkContentType(type)).toEqual({
      ok: false,
      status: 415,
      reason: `The Content-Type header must be application/json; got ${quoteHeader(type)}.`,
    });
  });

  test.each([
    undefined,
    null,
    "",
    "*/*",
    "application/json",
    "text/event-stream",
    "Application/JSON;q=0.9",
    "text/html, application/json",
    "application/*",
    "text/*;q=0.1",
  ])("accept an Accept header of %j", (accept) => {
    expect(checkAccept(accept)).toEqual({ ok: true });
  });

  test.each(["text/html", "application/xml", "image/*", "application/jsonp", "x-application/json", "json"])(
    "reject an Accept header of %s",
    (accept) => {
      expect(checkAccept(accept)).toEqual({
        ok: false,
        status: 406,
        reason: `The Accept header must allow application/json and text/event-stream; got "${accept}".`,
      });
    },
  );
});

/** Returns true if a value can be sent in a header. */
const isSendable = (value: string) =>
  /^[\x21-\x7e\x80-\xff]([\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/.test(value);

describe("access checks over raw sockets", () => {
  test("reject every foreign or malformed Host on the server", async () => {
    const { port } = await NODE.open(server);
    const socket = await openSocket(port);
    const wrong: string[] = [];
    for (const host of BAD_HOSTS.filter(isSendable)) {
      const text = rawPost(DISCOVER, { ...DISCOVER_HEADERS, Host: host });
      const [reply] = await exchange(socket, Buffer.from(text, "latin1"));
      if (reply?.status !== 403) wrong.push(`${host}: ${reply?.status}`);
    }
    expect(wrong).toEqual([]);
  });

  test("reject every foreign or malformed Origin on the server", async () => {
    const { port } = await NODE.open(server);
    const socket = await openSocket(port);
    const wrong: string[] = [];
    for (const origin of [...BAD_ORIGINS, ...GOOD_ORIGINS].filter(isSendable)) {
      const text = rawPost(DISCOVER, { ...DISCOVER_HEADERS, Origin: origin });
      const [reply] = await exchange(socket, Buffer.from(text, "latin1"));
      const expected = GOOD_ORIGINS.includes(origin) ? 200 : 403;
      // White space around a header value is not part of it.
      if (reply?.status !== expected) wrong.push(`${origin}: ${reply?.status}`);
    }
    expect(wrong).toEqual([]);
  });

  test("reject every content type except JSON", async () => {
    const { port } = await NODE.open(server);
    const socket = await openSocket(port);
    const wrong: string[] = [];
    for (const type of [...BAD_TYPES, ...GOOD_TYPES]) {
      const [reply] = await exchange(
        socket,
        rawPost(DISCOVER, { ...DISCOVER_HEADERS, "Content-Type": type }),
      );
      const expected = GOOD_TYPES.includes(type) ? 200 : 415;
      if (reply?.status !== expected) wrong.push(`${type}: ${reply?.status}`);
    }
    expect(wrong).toEqual([]);
  });

  const lines = (...all: readonly string[]) =>
    [...all, ...Object.entries(DISCOVER_HEADERS).map(([name, value]) => `${name}: ${value}`)]
      .concat(["Content-Type: application/json", `Content-Length: ${DISCOVER.length}`, "", DISCOVER])
      .join("\r\n");

  test.each([
    ["no Host in HTTP/1.1", lines("POST /mcp HTTP/1.1"), 400],
    ["no Host in HTTP/1.0", lines("POST /mcp HTTP/1.0"), 403],
    ["an empty Host", lines("POST /mcp HTTP/1.1", "Host:"), 403],
    ["one Host", lines("POST /mcp HTTP/1.1", "Host: localhost"), 200],
    ["white space around the Host", lines("POST /mcp HTTP/1.1", "Host:  localhost \t"), 200],
    ["the same Host twice", lines("POST /mcp HTTP/1.1", "Host: localhost", "host: localhost"), 200],
    ["a good and a foreign Host", lines("POST /mcp HTTP/1.1", "Host: localhost", "Host: evil.com"), 403],
    ["a foreign and a good Host", lines("POST /mcp HTTP/1.1", "HOST: evil.com", "hOST: localhost"), 403],
    [
      "two Origins",
      lines("POST /mcp HTTP/1.1", "Host: localhost", "Origin: http://localhost", "Origin: http://evil.com"),
      403,
    ],
    ["a foreign absolute target", lines("POST http://evil.com/mcp HTTP/1.1", "Host: localhost"), 403],
    ["a foreign absolute target and Host", lines("POST http://evil.com/mcp HTTP/1.1", "Host: evil.com"), 403],
    [
      "an absolute target with a foreign Host",
      lines("POST http://localhost/mcp HTTP/1.1", "Host: evil.com"),
      403,
    ],
    [
      "an absolute target with a user",
      lines("POST http://localhost@evil.com/mcp HTTP/1.1", "Host: localhost"),
      403,
    ],
    [
      "an absolute target that matches the Host",
      lines("POST http://localhost/mcp HTTP/1.1", "Host: localhost"),
      200,
    ],
  ])("%s", async (_what, text, status) => {
    const { port } = await NODE.open(server);
    expect((await rawRequest(port, text)).status).toBe(status);
  });
});

describe.each(FACES)("access checks on $name", (face) => {
  test.each([
    ["http://evil.com", 403, 'Origin "http://evil.com" is not allowed. Add it to `allowedOrigins`.'],
    ["null", 403, 'The Origin header must be an origin such as "https://example.com"; got "null".'],
  ])("reject the Origin %s with a JSON-RPC error", async (origin, status, message) => {
    const endpoint = await face.open(server);
    const response = await endpoint.fetch(modernPost("server/discover", {}, { headers: { origin } }));
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: null, error: { code: -32600, message } });
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });

  test.each(["GET", "DELETE", "OPTIONS", "PUT"])("reject a foreign Origin on %s", async (method) => {
    const endpoint = await face.open(server);
    const response = await endpoint.fetch({ method, headers: { origin: "http://evil.com" } });
    expect(response.status).toBe(403);
  });

  test("authenticate after the checks of Host and Origin and before the body is read", async () => {
    const seen: (string | null | undefined)[] = [];
    const endpoint = await face.open(server, {
      authenticate: ({ header }) => {
        seen.push(header("authorization"));
        return { status: 401, message: "who are you?", headers: { "www-authenticate": "Bearer" } };
      },
    });
    await endpoint.fetch(post("{}", { origin: "http://evil.com" }));
    expect(seen).toEqual([]);
    const response = await endpoint.fetch(post("not even JSON", { authorization: "Bearer x" }));
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32600, message: "who are you?" },
    });
    expect(seen).toEqual(["Bearer x"]);
  });

  test("report an authenticate function that throws as an internal error without its text", async () => {
    const endpoint = await face.open(server, {
      authenticate: () => {
        throw new Error("secret");
      },
    });
    const response = await endpoint.fetch(modernPost("server/discover"));
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32603, message: "Internal error" },
    });
  });
});

test("the fetch handler prefers the Host header and falls back to the URL's host", async () => {
  const endpoint = await FETCH.open(server, { allowedHosts: ["mcp.example.com"] });
  expect((await endpoint.fetch(modernPost("server/discover"))).status).toBe(403);
  const named = modernPost("server/discover", {}, { headers: { host: "mcp.example.com" } });
  expect((await endpoint.fetch(named)).status).toBe(200);
});
