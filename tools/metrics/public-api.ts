/**
 * @fileoverview Reads the public API from the source: every entry point's names, and the files that declare them.
 * @module tools/metrics/public-api
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { ROOT } from "../source-files.js";

/** Name that users can import. */
export interface PublicName {
  /** The entry point's specifier, such as `tenon/node`. */
  readonly entry: string;
  readonly name: string;
  readonly kind: "value" | "type";
  /** File that declares the name, relative to `packages/`. */
  readonly declaredIn: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

type Exported = Omit<PublicName, "entry">;

const RE_EXPORT = /^export\s+(type\s+)?\{([^}]*)\}\s*from\s*"([^"]+)";/gm;
const DECLARATION =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(function\*?|class|const|interface|type|enum)\s+(\w+)/gm;

/** Returns every entry point's source file, by specifier. */
export function readEntryPoints(root = ROOT): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(`${root}/packages`).flatMap((folder) => {
      const manifest = JSON.parse(
        readFileSync(`${root}/packages/${folder}/package.json`, "utf8"),
      ) as Manifest;
      return Object.entries(manifest.exports).flatMap(([key, target]): (readonly [string, string])[] => {
        if (typeof target === "string") return [];
        const file = target.types.replace("./dist/", "").replace(/\.d\.ts$/, ".ts");
        return [[key.replace(".", manifest.name), join(root, "packages", folder, "src", file)]];
      });
    }),
  );
}

/** Collects every public name. A name that is both a value and a type counts as a value. */
export function readPublicApi(root = ROOT): readonly PublicName[] {
  const entries = readEntryPoints(root);
  return [...entries].flatMap(([entry, file]) => {
    const names = new Map<string, PublicName>();
    for (const found of readExports(file, { root, entries })) {
      if (names.get(found.name)?.kind !== "value") names.set(found.name, { entry, ...found });
    }
    return [...names.values()];
  });
}

/** Returns public names that have more than one declaration, with the files that declare them. */
export function findHomonyms(api: readonly PublicName[]): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, Set<string>>();
  for (const { name, declaredIn } of api) files.set(name, (files.get(name) ?? new Set()).add(declaredIn));
  return new Map(
    [...files]
      .filter(([, declared]) => declared.size > 1)
      .map(([name, declared]) => [name, [...declared].toSorted()]),
  );
}

/** Folder of a clone, and its entry points. */
interface Clone {
  readonly root: string;
  readonly entries: ReadonlyMap<string, string>;
}

function readExports(file: string, clone: Clone): readonly Exported[] {
  const text = readFileSync(file, "utf8");
  const passedOn = [...text.matchAll(RE_EXPORT)].flatMap(([, allTypes, names = "", specifier = ""]) => {
    const target = resolveSource(file, specifier, clone);
    const inner = target === undefined ? [] : readExports(target, clone);
    return names
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .map((part): Exported => {
        const [original = "", name = original] = part.replace(/^type\s+/, "").split(/\s+as\s+/);
        const found = inner.filter((one) => one.name === original);
        const isType = allTypes !== undefined || part.startsWith("type ");
        const isValue = !isType && (target === undefined || found.some(({ kind }) => kind === "value"));
        const declaredIn = found[0]?.declaredIn ?? specifier;
        return { name, kind: isValue ? "value" : "type", declaredIn };
      });
  });
  const own = [...text.matchAll(DECLARATION)].map(([, keyword, name = ""]): Exported => ({
    name,
    kind: keyword === "interface" || keyword === "type" ? "type" : "value",
    declaredIn: relative(`${clone.root}/packages`, file),
  }));
  return [...passedOn, ...own];
}

function resolveSource(from: string, specifier: string, { root, entries }: Clone): string | undefined {
  if (specifier.startsWith(".")) return resolve(dirname(from), specifier.replace(/\.js$/, ".ts"));
  const internal = /^@tenon\/internal\/(.+)$/.exec(specifier)?.[1];
  const file =
    internal === undefined ? entries.get(specifier) : `${root}/packages/internal/src/${internal}.ts`;
  return file !== undefined && existsSync(file) ? file : undefined;
}
