import { h } from "preact";
import { describe, expect, test } from "vitest";
import { Markdown } from "../../src/markdown/markdown.js";
import { mount, type SmallElement } from "../support/small-dom.js";

/** Elements and attributes that Markdown may create. */
const ELEMENTS = new Set(
  "div p h1 h2 h3 h4 h5 h6 ul ol li blockquote hr table thead tbody tr th td a strong em del code pre br span svg path button".split(
    " ",
  ),
);
const ATTRIBUTES =
  /^(?:class|role|aria-[a-z]+|data-[a-z]+|href|target|rel|title|start|scope|tabIndex|viewBox|d|type)$/;

function show(text: string): SmallElement {
  return mount(h(Markdown, { text })).root;
}

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '<a href="javascript:alert(1)">x</a>',
  "<style>body{display:none}</style>",
  "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
  "text <svg onload=alert(1)> text",
  "[x](javascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "![x](https://example.com/pixel.png)",
  "![x](data:image/svg+xml,<svg onload=alert(1)>)",
  '[x](https://example.com "onclick=alert(1)")',
  "```<script>\nalert(1)\n```",
  "| <b>a</b> |\n|---|\n| <img src=x> |",
  "- [x] <input autofocus onfocus=alert(1)>",
  '<div style="position:fixed;inset:0">cover</div>',
  "[x]: javascript:alert(1)\n\n[x] ![x]",
];

describe("rendered Markdown", () => {
  test.each(HOSTILE)("%j creates only harmless elements and attributes", (text) => {
    const elements = show(text).all();
    expect(elements.length).toBeGreaterThan(0);
    expect(elements.map(({ localName }) => localName).filter((name) => !ELEMENTS.has(name))).toEqual([]);
    expect(
      elements.flatMap(({ attributes }) => [...attributes.keys()]).filter((name) => !ATTRIBUTES.test(name)),
    ).toEqual([]);
  });

  test.each(HOSTILE)("%j loads nothing, and links only to web pages in a new tab", (text) => {
    for (const { localName, attributes } of show(text).all()) {
      expect(attributes.has("src")).toBe(false);
      if (localName !== "a") continue;
      expect(attributes.get("href")).toMatch(/^https:\/\/example\.com\//);
      expect([attributes.get("target"), attributes.get("rel")]).toEqual(["_blank", "noopener noreferrer"]);
    }
  });

  test("HTML is shown as its source", () => {
    expect(show("a <b onclick=x>b</b>").text).toBe("a <b onclick=x>b</b>");
  });

  test("headings are below the heading of the page", () => {
    const names = show("# a\n\n##### b").all(({ localName }) => /^h\d$/.test(localName));
    expect(names.map(({ localName }) => localName)).toEqual(["h3", "h6"]);
  });

  test("a very long text is cut with a note", () => {
    const { text } = show("word\n".repeat(50_000));
    expect(text.length).toBeLessThan(101_000);
    expect(text).toContain("The text is cut (limit: 100,000 characters).");
  });

  test("a deeply nested text is rendered with bounded depth", () => {
    const source = Array.from({ length: 200 }, (_, level) => `${"  ".repeat(level)}- a`).join("\n");
    expect(depthOf(show(source))).toBeLessThan(60);
  });
});

function depthOf(element: SmallElement): number {
  const inside = element.all((one) => one.parentNode === element);
  return 1 + Math.max(0, ...inside.map(depthOf));
}
