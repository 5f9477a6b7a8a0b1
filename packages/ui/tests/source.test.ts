import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const root = new URL("../src/", import.meta.url);
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => path.replaceAll("\\", "/"))
  .map((path) => [path, readFileSync(new URL(path, root), "utf8")] as const);
const filesWith = (pattern: RegExp) => files.filter(([, text]) => pattern.test(text)).map(([path]) => path);

describe("source files of the design system", () => {
  test("nothing turns text into HTML or code", () => {
    expect(files.length).toBeGreaterThan(50);
    const unsafe =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|DOMParser|javascript:/i;
    expect(filesWith(unsafe)).toEqual([]);
  });

  test("nothing connects to a server", () => {
    expect(filesWith(/\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|import\(/)).toEqual([]);
  });

  test("links, images, and sounds are created only where their URLs are checked", () => {
    expect(filesWith(/href=(?!"#main")/)).toEqual(["markdown/markdown.tsx"]);
    expect(filesWith(/\bsrc=/)).toEqual(["content/media-content.tsx"]);
    expect(filesWith(/\.href = |\.src = |window\.open|location\.(?!hash)/)).toEqual(["support/browser.ts"]);
  });

  test("styles of elements consist of numbers", () => {
    const styles = files.flatMap(([, text]) =>
      [...text.matchAll(/style=(\{\{.*?\}\}|\S+)/g)].map(([, one]) => one),
    );
    expect(styles.length).toBeGreaterThan(5);
    expect(styles.filter((one = "") => !/(?:px|%|ch \+ 1rem\))` \}\}$|^\{percent$/.test(one))).toEqual([]);
  });
});
