import { describe, expect, test } from "vitest";
import { readSourceFiles, type SourceFile } from "./support/source-files.js";

/**
 * The floors of the house, and what each may stand on. An arrow that is not in this table does not exist; adding one
 * is a change of ARCHITECTURE.md too.
 */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  internal: [],
  protocol: ["internal"],
  schema: ["internal"],
  core: ["internal", "protocol", "schema"],
  model: ["internal", "protocol", "core"],
  grouped: ["internal", "protocol", "schema", "core"],
  stores: ["internal"],
  session: ["internal", "protocol", "core", "stores"],
  transport: ["internal", "protocol", "schema", "core", "session"],
  kit: ["internal", "protocol", "schema", "core", "transport"],
  oauth: ["internal", "protocol", "stores"],
  auth: ["internal", "protocol", "core", "transport"],
  app: ["internal", "protocol", "schema", "core", "transport", "auth", "kit"],
  agent: ["internal", "protocol", "schema", "core", "grouped", "kit"],
  cli: ["internal", "protocol", "core", "transport", "kit", "app"],
  "index.ts": ["internal", "protocol", "schema", "core"],
};

/** Packages that each floor may import; `node:` marks all of Node's own modules. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  internal: [],
  protocol: [],
  schema: ["@standard-schema/spec", "typebox/schema"],
  core: [],
  model: [],
  grouped: ["@toon-format/toon"],
  stores: [],
  session: [],
  transport: ["node:"],
  kit: ["node:", "@fastify/send", "zod"],
  oauth: ["node:", "oauth4webapi", "zod"],
  auth: ["jose"],
  app: ["node:", "zod", "pino", "@opentelemetry/api", "sanitize-html"],
  agent: ["node:", "zod", "ws", "@modelcontextprotocol/client"],
  cli: ["node:", "citty", "@clack/prompts"],
  "index.ts": [],
};

const PURE = ["internal", "protocol", "schema", "core", "model", "grouped", "stores", "session", "index.ts"];
const files = readSourceFiles();
const floorOf = (path: string) => path.split("/")[0] ?? path;

describe("the layers", () => {
  test("every folder is on the map", () => {
    expect([...new Set(files.map(({ path }) => floorOf(path)))].toSorted()).toEqual(
      Object.keys(ARROWS).toSorted(),
    );
  });

  test("a folder imports only what the table of arrows allows", () => {
    const wrong = files.flatMap(({ path, files: targets }) =>
      targets
        .filter((target) => floorOf(target) !== floorOf(path))
        .filter((target) => !ARROWS[floorOf(path)]?.includes(floorOf(target)))
        .map((target) => `${path} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test("every import points at a file that exists", () => {
    const known = new Set(files.map(({ path }) => path));
    expect(files.flatMap(({ files: targets }) => targets.filter((target) => !known.has(target)))).toEqual([]);
  });

  test("there are no import cycles, not even of types", () => {
    expect(findCycle(files)).toBeUndefined();
  });

  test("R1, R4: no package but the few that a floor is allowed", () => {
    const wrong = files.flatMap(({ path, packages }) =>
      packages
        .filter((name) => !PACKAGES[floorOf(path)]?.some((allowed) => name.startsWith(allowed)))
        .map((name) => `${path} → ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test("no wire knows what a tool is", () => {
    const inside = /^core\/(tool|tool-result|resource|prompt|snapshot|operation|lists|methods\/.*)\.ts$/;
    const wires = files.filter(({ path }) => /^transport\/(memory|stdio|http)\//.test(path));
    expect(wires.length).toBeGreaterThan(0);
    expect(wires.flatMap(({ files: targets }) => targets.filter((target) => inside.test(target)))).toEqual(
      [],
    );
  });
});

describe("the pure floors", () => {
  test("R1: no I/O, clock, timer, randomness or global of one runtime, but for the one port", () => {
    const impure =
      /\b(process|Buffer|console|setTimeout|setInterval|setImmediate|queueMicrotask|performance|fetch|localStorage)\b(?!["'`]?:)|Date\.now|new Date\(|Math\.random|crypto\./;
    const wrong = files
      .filter(({ path }) => PURE.includes(floorOf(path)) && path !== "internal/ports.ts")
      .flatMap(({ path, text }) =>
        withoutComments(text)
          .split("\n")
          .filter((line) => impure.test(line) && !/typeof globalThis\.crypto/.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      );
    expect(wrong).toEqual([]);
  });

  test("R48: nothing installs a log sink", () => {
    expect(
      files.filter(({ text }) => /console\./.test(withoutComments(text))).map(({ path }) => path),
    ).toEqual([]);
  });

  test("no protocol date stands outside protocol/revisions", () => {
    const dated = files
      .filter(({ path }) => !path.startsWith("protocol/revisions/"))
      .filter(({ text }) => /\b20\d\d-\d\d-\d\d\b/.test(text));
    expect(dated.map(({ path }) => path)).toEqual([]);
  });
});

describe("the files", () => {
  test.each(files.map(({ path, text }) => [path, text] as const))(
    "%s opens with what it is for",
    (_path, text) => {
      expect(text).toMatch(/^\/\*\*\n \* @fileoverview [\s\S]+?\n \* @module [\w/-]+\n \*\//);
      expect(text.split("\n").length).toBeLessThanOrEqual(400);
    },
  );

  test("only entry points re-export", () => {
    const passing = files.filter(
      ({ path, text }) => !/(^|\/)index\.ts$/.test(path) && /^export .* from /m.test(text),
    );
    expect(passing.map(({ path }) => path)).toEqual([]);
  });

  test("every export has its sentence", () => {
    const bare = files
      .filter(({ path }) => !/(^|\/)index\.ts$/.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/(.*)\n(?:\/\/ prettier-ignore\n)?export (?!\{)(?:declare )?(?:async )?\w+ (\w+)/g)]
          .filter(([, before = ""]) => !before.trimEnd().endsWith("*/"))
          .map(([, , name]) => `${path}: ${name}`),
      );
    expect(bare).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");
}

function findCycle(all: readonly SourceFile[]): readonly string[] | undefined {
  const next = new Map(all.map(({ path, files: targets }) => [path, targets]));
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return undefined;
    for (const target of next.get(path) ?? []) {
      const cycle = visit(target, [...trail, path]);
      if (cycle !== undefined) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const { path } of all) {
    const cycle = visit(path, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
