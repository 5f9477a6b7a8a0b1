import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../tools/source-files.js";

/** Bundles an entry point for any runtime, and returns the imports that remain. */
async function bundle(
  entry: string,
): Promise<{ readonly code: string; readonly imports: readonly string[] }> {
  const result = await build({
    entryPoints: [`${ROOT}/packages/tenon/dist/${entry}`],
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    metafile: true,
    external: ["node:*", "zod", "typebox/*"],
  });
  const outputs = Object.values(result.metafile.outputs);
  return {
    code: result.outputFiles[0]?.text ?? "",
    imports: outputs.flatMap((output) => output.imports.map((one) => one.path)),
  };
}

/** Returns the code of an entry point and of all files that it loads. */
function loadedCode(entry: string, seen = new Map<string, string>()): readonly string[] {
  const file = resolve(`${ROOT}/packages/tenon/dist`, entry);
  if (seen.has(file)) return [];
  const code = readFileSync(file, "utf8");
  seen.set(file, code);
  for (const [, path = ""] of code.matchAll(/(?:from|import)\s*"(\.[^"]+)"/g)) {
    loadedCode(resolve(dirname(file), path), seen);
  }
  return [...seen.values()];
}

describe("first-run-b5: files that an entry point loads", () => {
  test("contain no transport if the entry point has none", () => {
    const code = loadedCode("index.js").join("\n");
    expect(code).toContain("class ServerBuilder");
    expect(code).not.toMatch(/class FrameSplitter|function serveStdio|stdin|stdout|process\./);
    expect(loadedCode("transport/stdio/index.js").join("\n")).toMatch(/class FrameSplitter/);
  });

  test("are few, because a cold start spends its time opening files", () => {
    expect(loadedCode("index.js").length).toBeLessThanOrEqual(2);
    expect(loadedCode("transport/stdio/index.js").length).toBeLessThanOrEqual(3);
  });
});

test("only tenon/grouped loads the TOON encoder", () => {
  const manifest = JSON.parse(readFileSync(`${ROOT}/packages/tenon/package.json`, "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  const loading = Object.entries(manifest.exports).flatMap(([key, target]) => {
    if (typeof target === "string") return [];
    const code = loadedCode(target.default.replace("./dist/", "")).join("\n");
    return /(?:from|import)\s*"@toon-format\/toon"/.test(code) ? [key] : [];
  });
  expect(loading).toEqual(["./grouped"]);
});

describe("bundled entry points", () => {
  test.each([
    "index.js",
    "protocol/index.js",
    "client/index.js",
    "testing/index.js",
    "transport/fetch/index.js",
  ])("R1, R4: %s imports neither node: modules nor packages", async (entry) => {
    const { code, imports } = await bundle(entry);
    expect(imports).toEqual([]);
    // Where Node's `Buffer` exists, it makes base64 faster.
    expect(code).not.toMatch(/\bprocess\.|(?<!globalThis\.)\bBuffer\b|\brequire\(/);
  });

  test("json-schema loads its validator on demand", async () => {
    const { imports } = await bundle("schema/json-schema/index.js");
    expect(imports).toEqual(["typebox/schema"]);
  });
});
