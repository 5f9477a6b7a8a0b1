/**
 * @fileoverview Names that `@tenon/sdk` has only because the official SDK has them. They do not count as names of Tenon.
 * @module tools/metrics/mirrored-names
 */
import { readdirSync, readFileSync } from "node:fs";
import { ROOT } from "../source-files.js";
import type { PublicName } from "./public-api.js";

/** Declarations of the official package that each entry point replaces. */
const OFFICIAL: Readonly<Record<string, string>> = {
  "@tenon/sdk": "@modelcontextprotocol/sdk/dist/esm",
  "@tenon/sdk/v2": "@modelcontextprotocol/server/dist",
};

const DECLARED = /^export (?:declare )?(?:abstract )?(?:function|class|const|interface|type|enum) (\w+)/gm;
const LISTED = /^export \{([^}]*)\}/gm;

/** Returns a function that tells if the official package exports a name, under the same name. */
export function createMirrorCheck(): (found: PublicName) => boolean {
  const names = new Map(Object.entries(OFFICIAL).map(([entry, folder]) => [entry, readNames(folder)]));
  return ({ entry, name }) => names.get(entry)?.has(name) ?? false;
}

/** Reads the exported names of all declaration files in a folder. */
function readNames(folder: string): ReadonlySet<string> {
  const root = `${ROOT}/node_modules/${folder}`;
  const names = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.d\.m?ts$/.test(file))
    .flatMap((file) => parseNames(readFileSync(`${root}/${file}`, "utf8")));
  return new Set(names);
}

/** Returns the names that the text of a declaration file exports. */
export function parseNames(text: string): readonly string[] {
  const listed = [...text.matchAll(LISTED)].flatMap(([, list = ""]) =>
    list.split(",").map((part) => /(\w+)\s*$/.exec(part)?.[1] ?? ""),
  );
  return [...[...text.matchAll(DECLARED)].map(([, name = ""]) => name), ...listed].filter(Boolean);
}
