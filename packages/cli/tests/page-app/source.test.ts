import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../page/", import.meta.url));
const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).map((path) =>
  path.replaceAll("\\", "/"),
);
const files = paths
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => [path, readFileSync(root + path, "utf8")] as const);
const styles = paths
  .filter((path) => path.endsWith(".css"))
  .map((path) => [path, readFileSync(root + path, "utf8")] as const);

describe("source files of the page", () => {
  test.each(files)("%s has an overview, and at most 400 lines", (_path, text) => {
    expect(text).toMatch(/^\/\*\*\n \* @fileoverview [\s\S]+?\n \* @module cli\/page-app\/[\w/-]+\n \*\//);
    expect(text.split("\n").length).toBeLessThanOrEqual(400);
  });

  test("a folder has at most 15 files", () => {
    const counts = new Map<string, number>();
    for (const path of paths.filter((one) => /\.\w+$/.test(one))) {
      const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expect(counts.size).toBeGreaterThan(10);
    expect([...counts].filter(([, count]) => count > 15)).toEqual([]);
  });

  test("every export has a JSDoc comment", () => {
    const bare = files.flatMap(([path, text]) =>
      [...text.matchAll(/(.*)\nexport (?!\{|default )(?:async )?\w+ (\w+)/g)]
        .filter(([, before = ""]) => !before.trimEnd().endsWith("*/"))
        .map(([, , name]) => `${path}: ${name}`),
    );
    expect(bare).toEqual([]);
  });

  test("nothing turns text of a server into HTML, code, or styles", () => {
    const unsafe =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|style=|javascript:/;
    expect(files.filter(([, text]) => unsafe.test(text)).map(([path]) => path)).toEqual([]);
  });

  test("links get their URL only from the router or from a check", () => {
    const linking = files.filter(([, text]) =>
      /href=|window\.open|location\.(?:href|assign|replace)/.test(text),
    );
    const isSafe = (text: string) =>
      [...text.matchAll(/href=(\S+)/g)].every(([, value = ""]) => value.startsWith("{formatRoute("));
    expect(linking.map(([path]) => path).toSorted()).toEqual([
      "components/links.tsx",
      "views/shell/navigation.tsx",
    ]);
    expect(linking.filter(([, text]) => !isSafe(text))).toEqual([]);
  });

  test("no file requests anything from another site", () => {
    const external = [
      ...files,
      ...styles,
      ["index.html", readFileSync(`${root}index.html`, "utf8")] as const,
    ];
    const found = external.filter(([, text]) =>
      /url\(|@import url|src="https?:|href="https?:|fetch\("http/.test(text),
    );
    expect(found.map(([path]) => path)).toEqual([]);
  });
});
