import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";

test("the client has no dependencies and stays small", async () => {
  const root = new URL("../../../../", import.meta.url).pathname;
  const { outputFiles, metafile } = await build({
    entryPoints: [`${root}packages/agent/src/client/index.ts`],
    alias: { "@tenon/internal": `${root}packages/internal/src` },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
    metafile: true,
  });
  const inputs = Object.keys(metafile.inputs).map((path) => path.slice(path.indexOf("packages/")));
  const own = /^packages\/(?:agent\/src\/client|internal\/src\/(?:names|options))\//;
  expect(inputs.filter((path) => !own.test(path)).toSorted()).toEqual([
    "packages/internal/src/kind-of.ts",
    "packages/internal/src/ports.ts",
    "packages/internal/src/text.ts",
  ]);
  expect(gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length).toBeLessThan(11_500);
});
