/**
 * @fileoverview Plugin for esbuild that loads the user's files. In a bundle, all files have the same URL, so each file
 * gets constants with its own.
 * @module cli/dev/build/own-sources
 */
import { readFile } from "node:fs/promises";
import { dirname, extname } from "node:path";
import { pathToFileURL } from "node:url";
import type { Loader, Plugin } from "esbuild";

/** Expressions that the bundler replaces, and the constants that replace them. */
export const FILE_CONSTANTS = {
  "import.meta.url": "__tenonUrl",
  "import.meta.filename": "__tenonFilename",
  "import.meta.dirname": "__tenonDirname",
  __filename: "__tenonFilename",
  __dirname: "__tenonDirname",
} as const;

/**
 * Creates the plugin.
 *
 * @param onLoaded called with the absolute path of each file, also if the build fails later
 */
export function createSourcesPlugin(onLoaded: (path: string) => void): Plugin {
  return {
    name: "tenon-sources",
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, async ({ path }) => {
        onLoaded(path);
        const contents = await readFile(path, "utf8");
        return { contents: withConstants(contents, path), loader: loaderOf(path) };
      });
    },
  };
}

/** Adds the constants that a file uses, without changing its line numbers. */
export function withConstants(source: string, path: string): string {
  if (!/import\s*\.\s*meta|__filename|__dirname/.test(source)) return source;
  const constants =
    `const __tenonUrl = ${JSON.stringify(pathToFileURL(path).href)}, ` +
    `__tenonFilename = ${JSON.stringify(path)}, __tenonDirname = ${JSON.stringify(dirname(path))};`;
  // A hashbang must stay at the start of the file.
  const [hashbang = ""] = /^#!.*\r?\n/.exec(source) ?? [];
  return `${hashbang}${constants}${source.slice(hashbang.length)}`;
}

function loaderOf(path: string): Loader {
  const extension = extname(path).replace(/^\.[cm]?/, "");
  // Safe: the filter admits only these extensions.
  return extension as "js" | "ts" | "jsx" | "tsx";
}
