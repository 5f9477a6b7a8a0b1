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
  expect(inputs.filter((path) => !path.startsWith("packages/agent/src/client/"))).toEqual([
    "packages/internal/src/ports.ts",
  ]);
  expect(gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length).toBeLessThan(9_000);
});
