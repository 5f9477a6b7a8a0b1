/**
 * @fileoverview Compares figures with the limits in `limits.json`.
 * @module tools/metrics/limits
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Figures } from "./measure.js";

const FILE = fileURLToPath(new URL("limits.json", import.meta.url));

/** Reads the committed limits. */
export function readLimits(): Figures {
  return JSON.parse(readFileSync(FILE, "utf8")) as Figures; // written by `writeLimits`
}

/** Replaces the committed limits. */
export function writeLimits(figures: Figures): void {
  writeFileSync(FILE, `${JSON.stringify(figures, null, 2)}\n`);
}

/** Descriptions of figures without a package. */
const TITLES = {
  entries: "Entry points",
  values: "Exported values",
  types: "Exported types",
  homonyms: "Public names with more than one declaration",
  identicalPairs: "Pairs of places with six or more identical lines",
  longFunctions: "Functions over 60 lines",
  longFiles: "Files over 300 lines",
} as const satisfies Omit<Record<keyof Figures, string>, "code" | "names">;

/** Lists the figures that exceed their limits. A package or an entry point without a limit exceeds it. */
export function listExceeded(figures: Figures, limits: Figures): readonly string[] {
  const code = Object.entries(figures.code).map(([name, value]) => ({
    title: `Lines of code in packages/${name}`,
    value,
    limit: limits.code[name] ?? 0,
  }));
  const names = Object.entries(figures.names).flatMap(([entry, { values, types }]) => [
    { title: `Exported values of ${entry}`, value: values, limit: limits.names[entry]?.values ?? 0 },
    { title: `Exported types of ${entry}`, value: types, limit: limits.names[entry]?.types ?? 0 },
  ]);
  const others = Object.keys(TITLES).map((key) => {
    const name = key as keyof typeof TITLES; // Safe: they are the keys.
    return { title: TITLES[name], value: figures[name], limit: limits[name] };
  });
  return [...code, ...names, ...others]
    .filter(({ value, limit }) => value > limit)
    .map(
      ({ title, value, limit }) =>
        `${title}: ${value}, which exceeds the limit ${limit} by ${value - limit}.`,
    );
}
