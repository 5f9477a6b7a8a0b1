import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { ROOT } from "../support/source-files.js";

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

describe("bundled entry points", () => {
  test.each(["index.js", "protocol/index.js", "transport/memory/index.js", "transport/fetch/index.js"])(
    "R1, R4: %s imports neither node: modules nor packages",
    async (entry) => {
      const { code, imports } = await bundle(entry);
      expect(imports).toEqual([]);
      expect(code).not.toMatch(/\bprocess\.|\bBuffer\b|\brequire\(/);
    },
  );

  test("json-schema loads its validator on demand", async () => {
    const { imports } = await bundle("schema/json-schema/index.js");
    expect(imports).toEqual(["typebox/schema"]);
  });
});
