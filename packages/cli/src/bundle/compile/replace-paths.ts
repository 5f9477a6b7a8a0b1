/**
 * @fileoverview Replaces the file paths that esbuild writes into a bundle. They depend on where packages are installed,
 * and the same input must give the same bytes in every folder.
 * @module cli/bundle/compile/replace-paths
 */

/** Replaces paths in the two places where esbuild writes them. Keys are paths as esbuild writes them. */
export function replacePaths(code: string, paths: ReadonlyMap<string, string>): string {
  const changed = new Map([...paths].filter(([from, to]) => from !== to));
  if (changed.size === 0) return code;
  return code
    .split("\n")
    .map((line) => replaceComment(line, changed) ?? replaceWrapper(line, changed) ?? line)
    .join("\n");
}

/** Replaces the path in a comment above a file's code: `// ../node_modules/zod/index.js`. */
function replaceComment(line: string, paths: ReadonlyMap<string, string>): string | undefined {
  const path = line.startsWith("// ") ? paths.get(line.slice(3)) : undefined;
  return path === undefined ? undefined : `// ${path}`;
}

/** Replaces the path in the name of a function that wraps a file's code: `"../x/index.js"(exports, module) {`. */
function replaceWrapper(line: string, paths: ReadonlyMap<string, string>): string | undefined {
  const [, before = "", quoted = "", after = ""] = WRAPPER.exec(line) ?? [];
  const path = quoted === "" ? undefined : paths.get(quoted.slice(1, -1));
  return path === undefined ? undefined : `${before}${JSON.stringify(path)}${after}`;
}

const WRAPPER = /^( *(?:async )?)("[^"\\]*")(\([\w$, ]*\) \{)$/;
