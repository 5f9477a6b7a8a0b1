import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentDisposition } from "../../src/files/content-disposition.js";
import { downloadNameOf, fileIdOf } from "../../src/files/directory.js";
import { createFileServingRouter } from "../../src/files/file-serving-router.js";
import { askedBy } from "../../src/files/request-path.js";
import { isSafeName, toSafeName } from "../../src/files/safe-path.js";
import { soundRange } from "../../src/files/send-engine.js";

const anyText = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));

describe("file names in a store", () => {
  test.each([
    "abc123",
    "report.csv",
    "a~b.csv",
    "übersicht 2.pdf",
    "100%.csv",
    "数.txt",
    "a..b",
    "x".repeat(255),
  ])("Z36: accepts %j", (name) => expect(isSafeName(name)).toBe(true));

  test.each([
    "",
    ".",
    "..",
    ".env",
    "a/b",
    "a\\b",
    "/a",
    "a\0",
    "a\nb",
    "a\u007f",
    "a:b",
    "a.",
    "a ",
    "a%2e",
    "%5C",
    "CON",
    "nul.txt",
    "lpt1",
    "\ud800",
    "x".repeat(256),
    "ü".repeat(128),
  ])("Z36: rejects %j", (name) => expect(isSafeName(name)).toBe(false));

  test("Z36: a safe name joined to a directory is always directly inside it", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const name = toSafeName(text, 200);
        expect(isSafeName(name)).toBe(true);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
        expect(join("/store", name)).toBe(`/store/${name}`);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["report.csv", "report.csv"],
    ["../../etc/passwd", "_.._etc_passwd"],
    ["..", "file"],
    ["", "file"],
    [".htaccess", "htaccess"],
    ["a\r\nX-Evil: 1.csv", "a_X-Evil_ 1.csv"],
    ["gepj\u202eexe.txt", "gepjexe.txt"],
    ["100%.csv", "100_.csv"],
    [`${"ü".repeat(300)}.csv`, `${"ü".repeat(98)}.csv`],
    ["nul.csv", "file.csv"],
  ])("Z36: %j is saved as %j", (text, name) => expect(toSafeName(text, 200)).toBe(name));

  test.each([
    ["abc123.csv", "abc123", "abc123.csv"],
    ["abc123", "abc123", "abc123"],
    ["0f~report.tar.gz", "0f", "report.tar.gz"],
    ["report.tar.gz", "report.tar", "report.tar.gz"],
    ["~x.csv", "~x", "~x.csv"],
  ])("Z37: %s has the ID %s and downloads as %s", (name, fileId, download) => {
    expect([fileIdOf(name), downloadNameOf(name)]).toEqual([fileId, download]);
  });
});

describe("Content-Disposition", () => {
  test.each([
    ["report.csv", 'attachment; filename="report.csv"'],
    ['a"b\\c.csv', 'attachment; filename="a_b_c.csv"'],
    ["naïve.csv", "attachment; filename=\"na_ve.csv\"; filename*=UTF-8''na%C3%AFve.csv"],
    [
      "it's (1)* ü.csv",
      "attachment; filename=\"it's (1)_ _.csv\"; filename*=UTF-8''it%27s%20%281%29_%20%C3%BC.csv",
    ],
    ["a\r\nSet-Cookie: x=1", 'attachment; filename="a_Set-Cookie_ x=1"'],
    ["../../.bashrc", 'attachment; filename="_.._.bashrc"'],
  ])("Z35: names the download %j safely", (name, header) => expect(contentDisposition(name)).toBe(header));

  test("Z36: a name cannot break out of the header", () => {
    fc.assert(
      fc.property(anyText, (name) => {
        expect(contentDisposition(name, "inline")).toMatch(
          /^inline; filename="[ !#-$&-[\]-~]+"(?:; filename\*=UTF-8''[\w!#$&+.^`|~%-]+)?$/,
        );
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("byte ranges", () => {
  test.each([
    ["bytes=0-4", "bytes=0-4"],
    ["bytes=5-", "bytes=5-"],
    ["bytes=-3", "bytes=-3"],
    ["bytes=-99", "bytes=0-"],
    ["bytes=99-", "bytes=99-"],
    ["bytes=4-1", undefined],
    ["bytes=-", undefined],
    ["bytes=0-1,3-4", undefined],
    ["bytes=a-b", undefined],
    ["lines=0-1", undefined],
    ["bytes=0-99999999999999999", undefined],
    [undefined, undefined],
  ])("Z35: %s of 10 bytes is read as %s", (asked, range) => expect(soundRange(asked, 10)).toBe(range));
});

describe("request targets", () => {
  test.each([
    [{ url: "/exports" }, "list"],
    [{ url: "/exports/" }, "list"],
    [{ url: "/exports?page=2" }, "list"],
    [{ url: "/exports/abc?x=/../y" }, "file abc"],
    [{ url: "/exports/a%20b" }, "file a b"],
    [{ url: "http://host/exports/abc" }, "file abc"],
    [{ url: "/exports/abc/" }, "nothing"],
    [{ url: "/exports//abc" }, "nothing"],
    [{ url: "/exports/%ff" }, "nothing"],
    [{ url: "/exports/#x" }, "file #x"],
    [{ url: "/exportsabc" }, "elsewhere"],
    [{ url: "/Exports/abc" }, "elsewhere"],
    [{ url: "*" }, "elsewhere"],
    [{ url: "/abc", originalUrl: "/exports/abc" }, "file abc"],
    [{ url: "/abc", originalUrl: "/EXPORTS/abc" }, "file abc"],
    [{ url: "/abc", originalUrl: "/api/exports/abc" }, "file abc"],
    [{ url: "/", originalUrl: "/exports" }, "list"],
    [{ url: "/", originalUrl: "/exports/?a" }, "list"],
    [{ url: "/exports", originalUrl: "/exports/exports" }, "file exports"],
    [{ url: "/exports/abc", originalUrl: "/api/exports/abc" }, "file abc"],
    [{ url: "/abc", originalUrl: "/other/abc" }, "elsewhere"],
    [{ url: "/denied", originalUrl: "/exports/abc" }, "elsewhere"],
  ])("Z34: %o means %s", (target, meaning) => {
    const asked = askedBy(target, "/exports");
    expect(asked.kind === "file" ? `file ${asked.fileId}` : asked.kind).toBe(meaning);
  });

  test("Z36: a target never yields an unsafe ID", () => {
    const piece = fc.constantFrom(
      "..",
      "%2e",
      "%2f",
      "/",
      "\\",
      "%5c",
      "%00",
      "a",
      "%25",
      "exports",
      "?",
      ":",
      "~",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const asked = askedBy({ url: `/exports/${pieces.join("")}` }, "/exports");
        if (asked.kind === "file") expect(isSafeName(asked.fileId)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("invalid router options fail immediately", () => {
  const sound = { routePrefix: "/exports", resourceStoreUri: "file:///srv/exports" };
  const STORE = "`resourceStoreUri` must be an absolute file:// URI of a directory; got ";
  const PREFIX = '`routePrefix` must be a path such as "/exports"; got ';
  test.each([
    [{ resourceStoreUri: "/srv/exports" }, STORE],
    [{ resourceStoreUri: "https://host/exports" }, STORE],
    [{ resourceStoreUri: "file://host/exports" }, STORE],
    [{ resourceStoreUri: "file:///srv%2fexports" }, STORE],
    [{ resourceStoreUri: "file:///srv%00" }, STORE],
    [{ resourceStoreUri: "file:///srv?x" }, STORE],
    [{ routePrefix: "exports" }, PREFIX],
    [{ routePrefix: "/ex ports" }, PREFIX],
    [{ routePrefix: "/a?b" }, PREFIX],
    [{ routePrefix: "//a" }, PREFIX],
    [{ maxListed: 0 }, "`maxListed` must be a positive integer; got 0."],
    [{ stallMs: Number.NaN }, "`stallMs` must be a positive integer (milliseconds); got NaN."],
  ])("Z34: %o", (wrong, message) => {
    expect(() => createFileServingRouter({ ...sound, ...wrong })).toThrow(message);
  });
});
