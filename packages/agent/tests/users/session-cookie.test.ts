import { describe, expect, test } from "vitest";
import { findCredentials } from "../../src/users/credentials.js";
import { toSessionCookie } from "../../src/users/session-cookie.js";

const OPTIONS = { name: "agent", maxAge: 3_600 };

describe("the session cookie", () => {
  test.each<[string, Partial<Parameters<typeof toSessionCookie>[1]>, string]>([
    ["by default", {}, "agent=t.o-k_n; Path=/; Max-Age=3600; HttpOnly; Secure; SameSite=Strict"],
    [
      "with a path",
      { path: "/chat" },
      "agent=t.o-k_n; Path=/chat; Max-Age=3600; HttpOnly; Secure; SameSite=Strict",
    ],
    [
      "on this machine",
      { host: "localhost:8080" },
      "agent=t.o-k_n; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict",
    ],
    [
      "on this machine",
      { host: "[::1]:1" },
      "agent=t.o-k_n; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict",
    ],
    [
      "on a public host",
      { host: "localhost.example" },
      "agent=t.o-k_n; Path=/; Max-Age=3600; HttpOnly; Secure; SameSite=Strict",
    ],
    [
      "with a malformed host",
      { host: "localhost@evil.example" },
      "agent=t.o-k_n; Path=/; Max-Age=3600; HttpOnly; Secure; SameSite=Strict",
    ],
    [
      "with a prefix that requires TLS",
      { name: "__Host-agent", host: "localhost" },
      "__Host-agent=t.o-k_n; Path=/; Max-Age=3600; HttpOnly; Secure; SameSite=Strict",
    ],
  ])("%s", (_title, options, expected) => {
    expect(toSessionCookie("t.o-k_n", { ...OPTIONS, ...options })).toBe(expected);
  });

  test("deletes the cookie", () => {
    expect(toSessionCookie("", { name: "agent", maxAge: 0 })).toBe(
      "agent=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict",
    );
  });

  test("is read back as the same token", () => {
    const token = "!#$%&'()*+-./09:<=>?@AZ[]^_`az{|}~";
    const [cookies] = toSessionCookie(token, OPTIONS).split(";");
    expect(findCredentials({ authorization: undefined, cookies, cookieName: "agent" })).toEqual({
      kind: "token",
      token,
      from: "cookie",
    });
  });

  test.each<[string, Partial<Parameters<typeof toSessionCookie>[1]>]>([
    ["", {}],
    ["a;b", {}],
    ["a b", {}],
    ["a\r\nSet-Cookie: x=y", {}],
    ["ü", {}],
    ["x".repeat(4_001), {}],
    ["t", { name: "a=b" }],
    ["t", { name: "a\r\nb" }],
    ["t", { maxAge: -1 }],
    ["t", { maxAge: NaN }],
    ["t", { path: "/; Domain=evil.example" }],
    ["t", { path: "chat" }],
  ])("rejects what would change the header: %j %j", (token, options) => {
    expect(() => toSessionCookie(token, { ...OPTIONS, ...options })).toThrow(/must/);
  });
});
