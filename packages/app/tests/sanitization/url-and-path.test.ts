import * as fc from "fast-check";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, relative, resolve, win32 } from "node:path";
import { describe, expect, test } from "vitest";
import { sanitization } from "../../src/sanitization/sanitization.js";
import { McpError } from "tenon/protocol";

const { sanitizeUrl, sanitizePath } = sanitization;
const refusalOf = (run: () => unknown): McpError => {
  try {
    run();
  } catch (error) {
    if (error instanceof McpError) return error;
    throw error;
  }
  throw new Error("expected an error");
};
const expectRefused = (run: () => unknown) => {
  const { code, message } = refusalOf(run);
  expect(code).toBe("VALIDATION_ERROR");
  expect(message).toMatch(/^[\x20-\x7e]{1,200}$/);
};

const BAD_URLS = [
  "javascript:alert(1)",
  "JAVASCRIPT:alert(1)",
  "java\nscript:alert(1)",
  "java\tscript:alert(1)",
  "\u0001javascript:alert(1)",
  "javascript&colon;alert(1)",
  "javascript://ok.example/%0aalert(1)",
  "data:text/html,<script>alert(1)</script>",
  "data:text/html;base64,PHNjcmlwdD4=",
  "vbscript:msgbox(1)",
  "file:///etc/passwd",
  "blob:https://ok.example/1",
  "filesystem:https://ok.example/1",
  "about:blank",
  "view-source:https://ok.example",
  "ftp://ok.example/x",
  "gopher://ok.example:6379/_FLUSHALL",
  "ws://ok.example",
  "mailto:a@b.example",
  "//ok.example",
  "/relative",
  "relative",
  "ok.example",
  "http:ok.example",
  "http:/ok.example",
  "http:///ok.example",
  "https://",
  "https://user@ok.example",
  "https://user:password@ok.example",
  "https://@ok.example",
  "https://ok.example@evil.example",
  "https://ok.example\\@evil.example",
  "https:\\\\ok.example",
  "https://ok.example/a b",
  "https://ok.example/\0",
  "https://ok.example/\r\nSet-Cookie: a=b",
  "https://ok.example/\u202egnp.exe",
  "https://ok\u200b.example",
  "https://ok.example:99999",
  "https://[::1",
  "https://%zz.example",
  "https://ok.example/\ud800",
  "",
  "   ",
  `https://ok.example/${"a".repeat(2_048)}`,
];

describe("sanitizeUrl", () => {
  test("T39: the table has enough attack vectors", () => {
    expect(new Set(BAD_URLS).size).toBeGreaterThanOrEqual(30);
  });

  test.each(BAD_URLS)("T39: rejects %j", (url) => {
    expectRefused(() => sanitizeUrl(url));
  });

  test.each([
    ["https://ok.example", "https://ok.example/"],
    ["HTTP://OK.Example:80/a/../b?c=d#e", "http://ok.example/b?c=d#e"],
    ["  https://ok.example/x ", "https://ok.example/x"],
    ["https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"],
    ["https://[::1]:8443/", "https://[::1]:8443/"],
    ["https://ok.example/@user", "https://ok.example/@user"],
  ])("normalizes %j", (url, normal) => {
    expect(sanitizeUrl(url)).toBe(normal);
  });

  test("accepts other schemes and a list of hosts, except unsafe schemes", () => {
    expect(sanitizeUrl("mailto:a@b.example", { allowedSchemes: ["mailto:"] })).toBe("mailto:a@b.example");
    expect(() => sanitizeUrl("http://ok.example", { allowedSchemes: ["https"] })).toThrow(
      "must start with https:",
    );
    expect(sanitizeUrl("https://ok.example", { allowedHosts: ["OK.example"] })).toBe("https://ok.example/");
    expectRefused(() => sanitizeUrl("https://ok.example.evil.example", { allowedHosts: ["ok.example"] }));
    expect(() => sanitizeUrl("x", { allowedSchemes: ["Javascript:"] })).toThrow(
      "must not contain the unsafe scheme",
    );
    expectRefused(() => sanitizeUrl({ href: "https://ok.example" }));
  });

  test("names the problem and shows at most an excerpt, without passwords", () => {
    expect(refusalOf(() => sanitizeUrl("https://ada:hunter2@ok.example")).message).toBe(
      "Invalid URL: it must not contain a user name or password.",
    );
    expect(refusalOf(() => sanitizeUrl(`javascript:<b>"${"x".repeat(500)}`)).message).toBe(
      `Invalid URL: it must start with http: or https:; got "javascript:?b??${"x".repeat(25)}...".`,
    );
  });

  test("is idempotent and returns only safe URLs (property)", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "https://",
        "http://",
        "javascript:",
        "@",
        ":",
        "/",
        "\\",
        "#",
        "?",
        "%0a",
        "\t",
        "ok.example",
      ),
      fc.string({ unit: "binary", maxLength: 5 }),
    );
    const url = fc.oneof(
      fc.webUrl(),
      fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(url, (input) => {
        let clean: string;
        try {
          clean = sanitizeUrl(input);
        } catch (error) {
          expect(error).toBeInstanceOf(McpError);
          return;
        }
        expect(sanitizeUrl(clean)).toBe(clean);
        expect(clean).toMatch(/^https?:\/\/[^\s\\@/]+\/[^\s\\]*$/);
      }),
      { numRuns: 1_000 },
    );
  });
});

const BAD_PATHS = [
  "..",
  "../",
  "../../etc/passwd",
  "a/../../b",
  "a/b/../../../c",
  "./../x",
  "..\\..\\windows\\win.ini",
  "a\\..\\..\\b",
  "a/..\\../b",
  "..//..//x",
  ".../...//x",
  "....//....//x",
  "/etc/passwd",
  "\\windows\\system32",
  "//server/share",
  "\\\\server\\share\\x",
  "\\\\?\\C:\\x",
  "\\\\.\\PhysicalDrive0",
  "C:\\windows",
  "C:/windows",
  "c:x",
  "file:///etc/passwd",
  "x.txt::$DATA",
  "x.txt:stream",
  "a\0.txt",
  "../\0",
  "a\nb",
  "a\u202eb",
  "%2e%2e/x",
  "%2e%2e%2fx",
  "..%2f..%2fx",
  "..%5c..%5cx",
  "%252e%252e%252fx",
  "..%c0%afx",
  "%00",
  "．．／x",
  "..∕x",
  "‥/x",
  "..⁄x",
  "..＼x",
  ".. /x",
  "../ x",
  "a./b",
  "a /b",
  "a/.. ./b",
  "CON",
  "dir/nul.txt",
  "aux .h",
  "com1",
  "LPT9.log",
  "~",
  "~/.ssh/id_rsa",
  "~root/x",
  "a*b",
  "a|b",
  "a\ud800",
  "",
  "  ",
  "a/".repeat(600),
];

describe("sanitizePath", () => {
  test("T39: the table has enough attack vectors", () => {
    expect(new Set(BAD_PATHS).size).toBeGreaterThanOrEqual(30);
  });

  test.each(BAD_PATHS)("T39: rejects %j, with and without a root", (path) => {
    expectRefused(() => sanitizePath(path));
    expectRefused(() => sanitizePath(path, { root: "/srv/data" }));
  });

  test.each([
    ["a/b.txt", "a/b.txt", false],
    ["./a//b/./c", "a/b/c", true],
    ["a\\b", "a/b", true],
    ["a/../b", "b", true],
    ["a/b/..", "a", true],
    ["a/..", ".", true],
    [".", ".", false],
    [".env", ".env", false],
    ["..a/b", "..a/b", false],
    ["grün/é 100%.txt", "grün/é 100%.txt", false],
    ["~$doc.docx", "~$doc.docx", false],
    ["console/nullable", "console/nullable", false],
  ])("normalizes %j", (path, normal, wasChanged) => {
    const below = normal === "." ? "/srv/data" : `/srv/data/${normal}`;
    expect(sanitizePath(path)).toEqual({
      path: normal,
      relativePath: normal,
      wasAbsolute: false,
      wasChanged,
    });
    expect(sanitizePath(path, { root: "/srv/data/" })).toMatchObject({ relativePath: normal, wasChanged });
    expect(resolve(sanitizePath(path, { root: "/srv/data" }).path)).toBe(below);
  });

  test("accepts absolute paths only if allowed, and only below the root", () => {
    const options = { root: "/srv/data", allowAbsolute: true };
    expect(sanitizePath("/srv/data/a/../b", options)).toEqual({
      path: "/srv/data/b",
      relativePath: "b",
      wasAbsolute: true,
      wasChanged: true,
    });
    expect(sanitizePath("/srv/data", options)).toMatchObject({ path: "/srv/data", relativePath: "." });
    expect(sanitizePath("/tmp/x", { allowAbsolute: true })).toMatchObject({
      path: "/tmp/x",
      wasAbsolute: true,
    });
    expect(sanitizePath("/x", { allowAbsolute: true, root: "/" })).toMatchObject({
      path: "/x",
      relativePath: "x",
    });
    for (const path of ["/srv/data-old/x", "/srv", "/srv/data/../x", "/etc/passwd", "/../x"]) {
      expectRefused(() => sanitizePath(path, options));
    }
    expect(() => sanitizePath("x", { root: "data" })).toThrow('`root` must be an absolute path; got "data".');
  });

  test("an accepted path stays below the root on POSIX and Windows (property)", () => {
    const root = mkdtempSync(join(tmpdir(), "tenon-path-"));
    const piece = fc.oneof(
      fc.constantFrom("..", ".", "/", "\\", "a", "b.txt", " ", "%2e", "C:", "~", "\0", "．", "...", "nul"),
      fc.string({ unit: "binary", maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), fc.boolean(), (pieces, allowAbsolute) => {
        let clean: ReturnType<typeof sanitizePath>;
        try {
          clean = sanitizePath(pieces.join(""), { root, allowAbsolute });
        } catch (error) {
          expect(error).toBeInstanceOf(McpError);
          return;
        }
        const inside = relative(root, resolve(clean.path));
        expect(isAbsolute(inside) || inside.split("/").includes("..")).toBe(false);
        const onWindows = win32.relative("C:\\data", win32.resolve("C:\\data", clean.relativePath));
        expect(win32.isAbsolute(onWindows) || onWindows.startsWith("..\\") || onWindows === "..").toBe(false);
        expect(sanitizePath(clean.relativePath, { root }).path).toBe(clean.path);
      }),
      { numRuns: 2_000 },
    );
    rmSync(root, { recursive: true });
  });
});
