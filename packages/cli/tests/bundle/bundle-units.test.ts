import manifestSchema from "@anthropic-ai/mcpb/mcpb-manifest-v0.3.schema.json" with { type: "json" };
import { Compile } from "typebox/schema";
import { unzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "@tenon/internal/json";
import { packArchive, readFromArchive, unpackArchive } from "../../src/bundle/archive.js";
import { checkManifest, MANIFEST_SCHEMA } from "../../src/bundle/manifest-schema.js";
import { replacePaths } from "../../src/bundle/compile/bundled-packages.js";
import { createManifest } from "../../src/bundle/manifest.js";
import { checkConfig } from "../../src/bundle/project/declared-config.js";
import { readAuthor, readRepository } from "../../src/bundle/project/package-fields.js";
import { compareOffers } from "../../src/bundle/server-offer.js";
import { temporaryFolder } from "../../../../tests/support/program.js";
import { PACKAGE } from "../support/bundle/weather-project.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const offer = {
  info: { name: "weather", version: "1.2.0" },
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
};
const project = { folder: "/x", file: "package.json", text: "", members: PACKAGE };

function manifest(): JsonObject {
  const outcome = createManifest({ project, name: "weather", offer, variables: [], hasIcon: false });
  if (!outcome.ok) throw new Error(outcome.problems.join("\n"));
  return outcome.manifest;
}

describe("declared configuration", () => {
  test("types, choices, limits, defaults, and secrets come from the schema", () => {
    const outcome = checkConfig(
      z.object({
        API_TOKEN: z.string().default("none").describe("Token"),
        DB_URL: z.url().meta({ title: "Database", description: "Address of the database", secret: true }),
        MODE: z.literal("fast").optional().describe("Mode"),
        COUNT: z.int().describe("Count"),
        DEBUG: z.boolean().default(false).describe("Debug"),
        FILE: z.string().meta({ description: "File", format: "file" }),
      }),
    );
    expect(outcome).toEqual({
      ok: true,
      variables: [
        // The default of a secret is never published.
        {
          name: "API_TOKEN",
          type: "string",
          title: "API token",
          description: "Token",
          isRequired: false,
          isSecret: true,
        },
        {
          name: "DB_URL",
          type: "string",
          title: "Database",
          description: "Address of the database",
          isRequired: true,
          isSecret: true,
        },
        {
          name: "MODE",
          type: "string",
          title: "Mode",
          description: "Mode",
          isRequired: false,
          isSecret: false,
          choices: ["fast"],
        },
        {
          name: "COUNT",
          type: "number",
          title: "Count",
          description: "Count",
          isRequired: true,
          isSecret: false,
        },
        {
          name: "DEBUG",
          type: "boolean",
          title: "Debug",
          description: "Debug",
          isRequired: false,
          isSecret: false,
          default: false,
        },
        { name: "FILE", type: "file", title: "File", description: "File", isRequired: true, isSecret: false },
      ],
    });
  });

  test("a JSON Schema is a declaration too", () => {
    const schema = {
      type: "object",
      properties: { REGION: { type: "string", enum: ["eu", "us"], description: "Region", default: "eu" } },
      required: ["REGION"],
    };
    expect(checkConfig(schema)).toMatchObject({
      ok: true,
      variables: [{ name: "REGION", choices: ["eu", "us"], default: "eu", isRequired: false }],
    });
  });

  test.each<[string, unknown, string]>([
    [
      "a schema that is not an object",
      z.string(),
      "config must be an object schema, such as z.object({ … }).",
    ],
    [
      "a union of types",
      z.object({ A: z.union([z.string(), z.number()]).describe("A") }),
      "config.A must be a schema for a string, a number, or a boolean; got a schema without a single `type`.",
    ],
    [
      "too many variables",
      {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 101 }, (_, index) => [`A${index}`, { type: "string" }]),
        ),
      },
      "config declares too many variables (limit: 100).",
    ],
  ])("rejects %s", (_title, config, problem) => {
    expect(checkConfig(config)).toEqual({ ok: false, problems: [problem] });
  });

  test("control characters do not reach the manifest", () => {
    const outcome = checkConfig(z.object({ A: z.string().describe("\u001b[31mred") }));
    expect(outcome).toMatchObject({ variables: [{ description: "[31mred" }] });
  });
});

describe("members of package.json", () => {
  test.each<[unknown, unknown]>([
    ["Ada", { name: "Ada" }],
    ["Ada <a@b.c> (https://x.y)", { name: "Ada", email: "a@b.c", url: "https://x.y" }],
    ["Ada (not a url)", { name: "Ada" }],
    [
      { name: "Ada", url: "https://x.y" },
      { name: "Ada", url: "https://x.y" },
    ],
    [{ email: "a@b.c" }, undefined],
    ["", undefined],
    [undefined, undefined],
    [7, undefined],
  ])("author %j", (value, expected) => {
    expect(readAuthor(value)).toEqual(expected);
  });

  test.each<[unknown, string | undefined]>([
    ["acme/weather", "https://github.com/acme/weather"],
    ["github:acme/weather", "https://github.com/acme/weather"],
    ["gitlab:acme/group/weather", "https://gitlab.com/acme/group/weather"],
    ["git+https://github.com/acme/weather.git", "https://github.com/acme/weather"],
    ["git://github.com/acme/weather.git", "https://github.com/acme/weather"],
    ["git@github.com:acme/weather.git", "https://github.com/acme/weather"],
    ["git+ssh://git@github.com/acme/weather.git", "https://github.com/acme/weather"],
    [{ type: "git", url: "https://github.com/acme/weather#main" }, "https://github.com/acme/weather"],
    ["nonsense", undefined],
    [{}, undefined],
  ])("repository %j", (value, expected) => {
    expect(readRepository(value)?.url).toBe(expected);
  });
});

describe("archives", () => {
  const files = { "b/2.txt": bytes("two"), "a.txt": bytes("one".repeat(1_000)), "é.txt": bytes("") };

  test("do not depend on the order of the files, and have a fixed date and fixed permissions", () => {
    const archive = packArchive(files);
    const reversed = packArchive(Object.fromEntries(Object.entries(files).toReversed()));
    expect(reversed).toEqual(archive);
    expect(Object.keys(unzipSync(archive))).toEqual(["a.txt", "b/2.txt", "é.txt"]);
    const view = new DataView(archive.buffer, archive.byteOffset);
    // Time and date of the first entry: 12:00:00 on the first day of 1980.
    expect([view.getUint16(10, true), view.getUint16(12, true)]).toEqual([12 << 11, (1 << 5) | 1]);
    const central = view.getUint32(archive.length - 22 + 16, true);
    expect(view.getUint32(central + 38, true)).toBe((0o100644 << 16) >>> 0);
  });

  test("return a file only up to a size", () => {
    const archive = packArchive(files);
    expect(readFromArchive(archive, "a.txt", 3_000)).toEqual(files["a.txt"]);
    expect(readFromArchive(archive, "a.txt", 2_999)).toBeUndefined();
    expect(readFromArchive(archive, "missing", 10)).toBeUndefined();
  });

  test("do not write files outside the folder", async () => {
    const archive = packArchive({ "../evil.txt": bytes("x") });
    await expect(unpackArchive(archive, temporaryFolder())).rejects.toThrow(
      'The path "../evil.txt" leads out of the archive.',
    );
  });
});

describe("paths in a bundle", () => {
  test("are replaced in comments and wrappers, and nowhere else", () => {
    const code = [
      "// ../../node_modules/zod/index.js",
      "var require_a = __commonJS({",
      '  "../../node_modules/a/index.js"(exports, module) {',
      '    const text = "../../node_modules/a/index.js";',
      "  // ../../node_modules/zod/index.js",
      "// src/server.ts",
    ].join("\n");
    const paths = new Map([
      ["../../node_modules/zod/index.js", "node_modules/zod/index.js"],
      ["../../node_modules/a/index.js", "node_modules/a/index.js"],
      ["src/server.ts", "src/server.ts"],
    ]);
    expect(replacePaths(code, paths).split("\n")).toEqual([
      "// node_modules/zod/index.js",
      "var require_a = __commonJS({",
      '  "node_modules/a/index.js"(exports, module) {',
      '    const text = "../../node_modules/a/index.js";',
      "  // ../../node_modules/zod/index.js",
      "// src/server.ts",
    ]);
  });
});

describe("the manifest", () => {
  test("of a minimal server is valid", () => {
    expect(checkManifest(manifest())).toEqual([]);
  });

  test.each<[string, (valid: JsonObject) => JsonObject, RegExp]>([
    ["an unknown member", (valid) => ({ ...valid, extra: 1 }), /extra/],
    ["a missing member", ({ name: _name, ...rest }) => rest, /name/],
    [
      "another version of the format",
      (valid) => ({ ...valid, manifest_version: "0.2" }),
      /^manifest_version must be "0\.3"\.$/,
    ],
    ["a homepage that is not a URL", (valid) => ({ ...valid, homepage: "nowhere" }), /^homepage /],
    [
      "an unknown kind of option",
      (valid) => ({ ...valid, user_config: { a: { type: "date", title: "A", description: "A" } } }),
      /^user_config\.a\.type /,
    ],
    [
      "an option without a title",
      (valid) => ({ ...valid, user_config: { a: { type: "string", description: "A" } } }),
      /title/,
    ],
    ["a prompt without a text", (valid) => ({ ...valid, prompts: [{ name: "a" }] }), /text/],
  ])("with %s is rejected", (_title, change, expected) => {
    expect(checkManifest(change(manifest())).join("\n")).toMatch(new RegExp(expected.source, "m"));
  });

  test("differences between a module and its bundle are named", () => {
    const tool = { name: "a", description: "A" };
    const bundle = { ...offer, tools: [{ ...tool, description: "B" }], prompts: [{ name: "p" }] };
    expect(compareOffers({ ...offer, tools: [tool], resources: [{ uri: "x://y" }] }, bundle)).toEqual([
      'Tool "a" is defined differently.',
      'Resource "x://y" is missing.',
      'Prompt "p" is not in the module.',
    ]);
    expect(compareOffers(offer, { ...offer })).toEqual([]);
  });
});

describe("the official schema of the manifest", () => {
  test("has the same rules as the one that bundles are checked with", () => {
    expect(expand(MANIFEST_SCHEMA, MANIFEST_SCHEMA)).toEqual(expand(manifestSchema, manifestSchema));
  });

  test("accepts the manifest of a bundle", () => {
    expect(Compile(manifestSchema).Check(manifest())).toBe(true);
  });
});

/** Expands references, and removes members that are only for readers. */
function expand(value: unknown, root: JsonObject): unknown {
  if (Array.isArray(value)) return value.map((item) => expand(item, root));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, $schema, description, ...rest } = value as JsonObject;
  if (typeof $ref === "string") {
    const target = $ref
      .slice(2)
      .split("/")
      .reduce<unknown>((at, key) => (at as JsonObject)[key], root);
    return expand(target, root);
  }
  // In a map of properties, these names are properties.
  const kept = {
    ...(typeof $schema === "object" ? { $schema } : {}),
    ...(typeof description === "object" ? { description } : {}),
    ...rest,
  };
  return Object.fromEntries(Object.entries(kept).map(([key, item]) => [key, expand(item, root)]));
}
