import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const folder = new URL("../src/styles/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), "utf8");
const tokens = read("tokens.css");

/** Returns the light and the dark color of a token. */
function colorsOf(name: string): readonly [string, string] {
  const [, light, dark, alias] =
    new RegExp(
      `--t-${name}: (?:light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)|var\\(--t-([\\w-]+)\\));`,
    ).exec(tokens) ?? [];
  if (alias !== undefined) return colorsOf(alias);
  if (light === undefined || dark === undefined) throw new Error(`There is no color --t-${name}.`);
  return [light, dark];
}

/** Relative luminance (WCAG 2.1). */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

const SURFACES = ["bg", "bg-sunken", "bg-raised", "bg-hover", "bg-selected", "bg-code"];
const pairs = [
  ...["text", "text-quiet", "accent", "danger", "warning", "success", "info"].flatMap((text) =>
    SURFACES.map((surface) => [text, surface, 4.5] as const),
  ),
  ...["danger", "warning", "success", "info"].map((tone) => [tone, `${tone}-soft`, 4.5] as const),
  ...["danger", "warning", "success", "info", "neutral"].map(
    (tone) => ["text", `${tone}-soft`, 4.5] as const,
  ),
  ...["json-key", "json-string", "json-number", "json-literal"].map(
    (kind) => [kind, "bg-code", 4.5] as const,
  ),
  ["text-quiet", "neutral-soft", 4.5] as const,
  ["on-accent", "accent", 4.5] as const,
  ["on-accent", "accent-hover", 4.5] as const,
  ["text", "mark", 4.5] as const,
  ...SURFACES.map((surface) => ["accent", surface, 3] as const),
  ...["bg", "bg-sunken", "bg-raised"].map((surface) => ["line-strong", surface, 3] as const),
  ...[1, 2, 3, 4, 5, 6].map((series) => [`series-${series}`, "bg", 3] as const),
];

describe("colors", () => {
  test.each(pairs)(
    "--t-%s on --t-%s has a contrast of at least %d:1 in both themes",
    (front, back, minimum) => {
      const [light, dark] = [0, 1].map((theme) =>
        contrast(colorsOf(front)[theme] ?? "", colorsOf(back)[theme] ?? ""),
      );
      expect(light).toBeGreaterThanOrEqual(minimum);
      expect(dark).toBeGreaterThanOrEqual(minimum);
    },
  );
});

describe("style sheets", () => {
  const files = readdirSync(folder).filter((name) => name !== "index.css");

  test.each(["t-rows", "t-table", "t-tabs__panel", "t-code__text", "t-dialog__body"])(
    ".%s is positioned, so that hidden texts inside it do not make the page longer",
    (name) => {
      const rules = files.map(read).join("\n");
      const [, rule = ""] = new RegExp(`^\\.${name} \\{([^}]+)\\}`, "m").exec(rules) ?? [];
      expect(rule).toContain("overflow: auto;");
      expect(rule).toContain("position: relative;");
    },
  );

  test("index.css imports every file", () => {
    const imported = [...read("index.css").matchAll(/@import "\.\/(.+)";/g)].map(([, name = ""]) => name);
    expect(imported.toSorted()).toEqual(files.toSorted());
  });

  test.each(files)("%s uses only tokens that exist, and no external resource or gradient", (name) => {
    const text = read(name);
    const defined = new Set([...tokens.matchAll(/^\s+--(t-[\w-]+):/gm)].map(([, token]) => token));
    // Set by components.
    for (const token of ["t-split", "t-series"]) defined.add(token);
    const used = [...text.matchAll(/var\(--([\w-]+)/g)].map(([, token]) => token);
    expect(used.filter((token) => !defined.has(token))).toEqual([]);
    expect(text).not.toMatch(/url\(|https?:|gradient/);
  });
});
