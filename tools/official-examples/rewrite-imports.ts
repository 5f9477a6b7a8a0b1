/**
 * @fileoverview Rewrites the imports of an official example, and nothing else in it.
 * @module tools/official-examples/rewrite-imports
 */
import { parseSync, type StaticImport, type StaticImportEntry } from "oxc-parser";

/** Rules for the imports of an example. */
export interface ImportRules {
  /** Returns the specifier to use instead of the given one. */
  specifierOf(specifier: string): string;
  /** Returns the module that provides a name instead, or `undefined` if the name stays where it is. */
  moduleOf(specifier: string, name: string): string | undefined;
}

/** Rewritten source. */
export interface Rewritten {
  readonly code: string;
  /** Names that another module provides now. */
  readonly moved: readonly string[];
}

/** Rewrites the imports of a module. Keeps the number of each line, so that diagnostics stay comparable. */
export function rewriteImports(file: string, code: string, rules: ImportRules): Rewritten {
  const { module, errors } = parseSync(file, code);
  if (errors[0] !== undefined) throw new Error(`Could not parse ${file}: ${errors[0].message}`);
  const moved: string[] = [];
  const edits: Edit[] = module.staticImports.map((one) => {
    const parts = split(one, rules);
    moved.push(...parts.filter(({ isMoved }) => isMoved).flatMap(({ entries }) => entries.map(nameOf)));
    const before = code.slice(one.start, one.end);
    const lineBreaks = "\n".repeat(before.split("\n").length - 1);
    const after = parts.some(({ isMoved }) => isMoved)
      ? parts.map(print).join(" ") + lineBreaks
      : before.replace(/(["'])[^"']*\1;?$/, `"${rules.specifierOf(one.moduleRequest.value)}";`);
    return { start: one.start, end: one.end, text: after };
  });
  for (const { moduleRequest } of module.staticExports.flatMap(({ entries }) => entries)) {
    if (moduleRequest === null || moduleRequest === undefined) continue;
    const { start, end, value } = moduleRequest;
    edits.push({ start, end, text: `"${rules.specifierOf(value)}"` });
  }
  return { code: apply(code, edits), moved };
}

/** Replacement of a part of the source. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Names that one import statement takes from one module. */
interface Part {
  readonly specifier: string;
  readonly entries: readonly StaticImportEntry[];
  readonly isMoved: boolean;
}

/** Splits an import statement by the module that provides each name. */
function split({ moduleRequest, entries }: StaticImport, rules: ImportRules): readonly Part[] {
  const { value } = moduleRequest;
  const targets = new Map<string | undefined, StaticImportEntry[]>();
  for (const entry of entries) {
    const target = kindOf(entry) === "Name" ? rules.moduleOf(value, nameOf(entry)) : undefined;
    targets.set(target, [...(targets.get(target) ?? []), entry]);
  }
  return [...targets].map(([target, group]) => ({
    specifier: target ?? rules.specifierOf(value),
    entries: group,
    isMoved: target !== undefined,
  }));
}

function print({ specifier, entries }: Part): string {
  const areTypes = entries.every(({ isType }) => isType);
  const named = entries
    .filter((entry) => kindOf(entry) === "Name")
    .map((entry) => {
      const { localName, isType } = entry;
      const name = nameOf(entry);
      const alias = localName.value === name ? name : `${name} as ${localName.value}`;
      return isType && !areTypes ? `type ${alias}` : alias;
    });
  const others = entries.flatMap((entry) => {
    const { value } = entry.localName;
    return kindOf(entry) === "Default" ? [value] : kindOf(entry) === "Name" ? [] : [`* as ${value}`];
  });
  const clause = [...others, ...(named.length > 0 ? [`{ ${named.join(", ")} }`] : [])].join(", ");
  return `import ${areTypes ? "type " : ""}${clause} from "${specifier}";`;
}

function nameOf({ importName, localName }: StaticImportEntry): string {
  return importName.name ?? localName.value;
}

/** Returns the kind as text: the parser declares an enum whose members are not exported as values. */
function kindOf({ importName }: StaticImportEntry): string {
  return importName.kind;
}

function apply(code: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (text, { start, end, text: inserted }) => text.slice(0, start) + inserted + text.slice(end),
      code,
    );
}
