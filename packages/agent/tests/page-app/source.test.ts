import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../page/", import.meta.url));
const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).map((path) =>
  path.replaceAll("\\", "/"),
);
const filesWith = (extension: RegExp) =>
  paths
    .filter((path) => extension.test(path))
    .map((path) => [path, readFileSync(root + path, "utf8")] as const);
const files = filesWith(/\.tsx?$/);
const styles = filesWith(/\.css$/);

describe("source files of the page", () => {
  test("nothing turns text of a server into HTML, code, or styles", () => {
    expect(files.length).toBeGreaterThan(40);
    const unsafe =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|style=|javascript:/;
    expect(files.filter(([, text]) => unsafe.test(text)).map(([path]) => path)).toEqual([]);
  });

  test("links get their URL only from the router, except the one to the checked sign-in", () => {
    const targets = files.flatMap(([path, text]) =>
      [...text.matchAll(/href=([^\s>]+)/g)].map(([, value = ""]) => [path, value]),
    );
    expect(targets.length).toBeGreaterThan(3);
    expect(targets.filter(([, value = ""]) => !value.startsWith("{formatRoute("))).toEqual([
      ["views/shell/sign-in.tsx", "{signInUrl}"],
    ]);
    const opening = /window\.open|location\.(?:assign|replace)|location\.href =/;
    expect(files.filter(([, text]) => opening.test(text)).map(([path]) => path)).toEqual([]);
  });

  test("images and sounds get their URL only from the check of media", () => {
    const sources = files.flatMap(([path, text]) =>
      [...text.matchAll(/\bsrc=(\S+)/g)].map(([, value]) => `${path} ${value}`),
    );
    expect(sources.toSorted()).toEqual([
      "components/file-view.tsx {media.url}",
      "components/file-view.tsx {url}",
      "components/file-view.tsx {url}",
      "views/composer/attachment-list.tsx {media.url}",
    ]);
  });

  test("only the client connects to a server", () => {
    const connecting = /\bfetch\(|XMLHttpRequest|new WebSocket|EventSource|sendBeacon|import\(/;
    expect(files.filter(([, text]) => connecting.test(text)).map(([path]) => path)).toEqual([]);
  });

  test("no file requests anything from another site", () => {
    const documents = [
      ...files,
      ...styles,
      ["index.html", readFileSync(`${root}index.html`, "utf8")] as const,
    ];
    const found = documents.filter(([, text]) => /url\(|@import url|src="https?:|href="https?:/.test(text));
    expect(found.map(([path]) => path)).toEqual([]);
  });

  test("the styles use only tokens that exist", () => {
    const tokens = readFileSync(new URL("../../../ui/src/styles/tokens.css", import.meta.url), "utf8");
    const all = [tokens, ...styles.map(([, text]) => text)].join("\n");
    const defined = new Set([...all.matchAll(/^\s+--([\w-]+):/gm)].map(([, token]) => token));
    const used = [...all.matchAll(/var\(--([\w-]+)/g)].map(([, token]) => token);
    expect(used.filter((token) => !defined.has(token))).toEqual([]);
  });
});
