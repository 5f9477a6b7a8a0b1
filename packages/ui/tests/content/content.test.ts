import { describe, expect, test } from "vitest";
import { readBlock, readBlocks, readResource } from "../../src/content/blocks.js";
import { detectText, findRows, looksLikeMarkdown } from "../../src/content/detect.js";
import { byteLength, MAX_MEDIA_LENGTH, normalizeType, toMedia } from "../../src/content/media.js";

describe("detectText", () => {
  test.each([
    ["an object", '{"a": 1}', "json", ["text", "json"]],
    ["an object after spaces", ' \n {"a": 1}\n', "json", ["text", "json"]],
    ["an array of objects", '[{"a": 1}]', "json", ["text", "json", "table"]],
    ["invalid JSON", '{"a": 1', "text", ["text", "markdown"]],
    ["a number", "42", "text", ["text", "markdown"]],
    ["a quoted text", '"a"', "text", ["text", "markdown"]],
    ["Markdown", "# Title\n\ntext", "markdown", ["text", "markdown"]],
    ["a plain text", "Hello, world", "text", ["text", "markdown"]],
    ["an empty text", "", "text", ["text", "markdown"]],
    ["a text that starts with a bracket", "[INFO] started", "text", ["text", "markdown"]],
  ])("offers views for %s", (_title, text, preferred, views) => {
    expect(detectText(text)).toMatchObject({ preferred, views });
  });

  test("the media type decides if it is known", () => {
    expect(detectText("plain", { mediaType: "text/markdown" }).preferred).toBe("markdown");
    expect(detectText("plain", { mediaType: "Text/Markdown; charset=utf-8" }).preferred).toBe("markdown");
    expect(detectText("# Title", { mediaType: "text/plain; charset=utf-8" }).preferred).toBe("markdown");
    expect(detectText("# not Markdown", { mediaType: "text/x-python" }).preferred).toBe("text");
  });

  test("JSON that nests too deeply or is too long stays text", () => {
    expect(detectText("[".repeat(100_000) + "]".repeat(100_000)).json).toBeUndefined();
    expect(detectText(`["${"x".repeat(6_000_000)}"]`).json).toBeUndefined();
    expect(detectText(`[${"1,".repeat(600_000)}1]`).json).toBeUndefined();
    expect(detectText(`[${"1,".repeat(1_000)}1]`).json).toHaveLength(1_001);
  });

  test("JSON cannot change prototypes", () => {
    const { json } = detectText('{"__proto__": {"polluted": true}}');
    expect(json).toEqual({});
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("looksLikeMarkdown", () => {
  test.each([
    "# Title",
    "text\n\n```js\ncode\n```",
    "- a\n- b",
    "1. a\n2. b",
    "some **bold** text",
    "[link](https://example.com)",
    "| a | b |\n| --- | --- |",
    "> quote",
  ])("%j does", (text) => {
    expect(looksLikeMarkdown(text)).toBe(true);
  });

  test.each(["plain", "a - b", "2 * 3 * 4", "#hashtag", "a > b", "file_name_here", "- one item", "[a](b)"])(
    "%j does not",
    (text) => {
      expect(looksLikeMarkdown(text)).toBe(false);
    },
  );
});

describe("toMedia", () => {
  test.each([
    ["image/png", "image"],
    ["image/jpeg", "image"],
    ["image/gif", "image"],
    ["image/avif", "image"],
    ["audio/wav", "audio"],
    ["audio/mpeg", "audio"],
    ["audio/ogg", "audio"],
    ["audio/webm", "audio"],
    ["audio/mp4", "audio"],
    ["IMAGE/JPG; quality=1", "image"],
    ["image/webp", "image"],
    ["audio/mp3", "audio"],
    ["audio/x-wav", "audio"],
  ])("shows %s", (type, kind) => {
    const media = toMedia("AAAA", type);
    expect(media).toMatchObject({ ok: true, kind, bytes: 3 });
    expect(media.ok && media.url).toBe(`data:${normalizeType(type)};base64,AAAA`);
  });

  test.each([
    "image/svg+xml",
    "image/svg+xml; charset=utf-8",
    "IMAGE/SVG+XML",
    "image/*",
    "image/bmp",
    "video/mp4",
    "audio/midi",
    "text/html",
    "application/pdf",
    "image/png,<svg onload=alert(1)>",
    "image/png\nX",
    "",
    undefined,
    5,
    "constructor",
  ])("does not show the type %j", (type) => {
    expect(toMedia("AAAA", type).ok).toBe(false);
  });

  test.each([
    [undefined, "The content has no data."],
    ["", "The content has no data."],
    ["AAA", "The data is not valid base64."],
    ["AA=A", "The data is not valid base64."],
    ['AAAA" onerror="x', "The data is not valid base64."],
  ])("does not show the data %j", (data, reason) => {
    expect(toMedia(data, "image/png")).toEqual({ ok: false, reason });
  });

  test("shows content of the largest size", () => {
    expect(toMedia("A".repeat(MAX_MEDIA_LENGTH), "image/png").ok).toBe(true);
  });

  test("limits the size", () => {
    const media = toMedia("A".repeat(MAX_MEDIA_LENGTH + 4), "image/png");
    expect(media).toEqual({ ok: false, reason: "The content is too large: 20 MiB (limit: 20 MiB)." });
  });

  test.each([
    ["", 0],
    ["QQ==", 1],
    ["QUI=", 2],
    ["QUJD", 3],
  ])("counts the bytes of %j", (text, expected) => {
    expect(byteLength(text)).toBe(expected);
  });
});

describe("content blocks", () => {
  test.each([
    [
      { type: "text", text: "a" },
      { type: "text", text: "a" },
    ],
    [
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "media", data: "AAAA", mediaType: "image/png" },
    ],
    [
      { type: "resource_link", uri: "a:b", name: "n", title: "t", size: 5 },
      { type: "link", uri: "a:b", name: "t", size: 5 },
    ],
    [
      { type: "resource", resource: { uri: "a:b", text: "x", mimeType: "text/plain" } },
      { type: "text", text: "x", resource: { uri: "a:b", mediaType: "text/plain" } },
    ],
    [
      { type: "resource", resource: { uri: "a:b", blob: "AAAA" } },
      { type: "media", data: "AAAA", resource: { uri: "a:b" } },
    ],
  ])("reads the block %j", (block, expected) => {
    expect(readBlock(block)).toMatchObject(expected);
  });

  test.each([
    null,
    "text",
    [],
    { type: "text" },
    { type: "text", text: 5 },
    { type: "resource" },
    { type: "resource", resource: { uri: "a:b" } },
    { type: "resource_link" },
    { type: "constructor" },
    {},
  ])("%j is shown as JSON", (value) => {
    expect(readBlock(value)).toEqual({ type: "unknown", value });
  });

  test("a single block is a list, and long lists are cut", () => {
    expect(readBlocks({ type: "text", text: "a" }).blocks).toHaveLength(1);
    expect(readBlocks(undefined).blocks).toEqual([]);
    const many = readBlocks(Array.from({ length: 1_000 }, () => ({ type: "text", text: "a" })));
    expect([many.blocks.length, many.omitted]).toEqual([500, 500]);
  });

  test("readResource needs a text or bytes", () => {
    expect(readResource({ uri: "a:b" })).toBeUndefined();
    expect(readResource("a")).toBeUndefined();
  });
});

describe("findRows", () => {
  test.each([
    ["an array of objects", [{ a: 1 }], 1],
    ["an object with one array of objects", { total: 2, items: [{ a: 1 }, { a: 2 }] }, 2],
    ["two arrays of objects", { a: [{ x: 1 }], b: [{ x: 1 }] }, undefined],
    ["another value", { a: 1 }, undefined],
  ])("looks for rows in %s", (_title, value, count) => {
    expect(findRows(value)?.length).toBe(count);
  });
});
