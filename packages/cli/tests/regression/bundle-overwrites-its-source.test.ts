import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/support/program.js";
import { writeOutputs } from "../../src/bundle/outputs.js";

test.each([
  ["a source", "source.mjs"],
  ["a link to a source", "link.mjs"],
  ["a hard link to a source", "hard.mjs"],
])("a bundle never replaces %s, and then writes nothing", async (_title, name) => {
  const folder = temporaryFolder();
  const source = join(folder, "source.mjs");
  writeFileSync(source, "source");
  symlinkSync(source, join(folder, "link.mjs"));
  linkSync(source, join(folder, "hard.mjs"));
  mkdirSync(join(folder, "other"));
  const plan = { formats: ["esm"] as const, path: join(folder, name), isFile: true };
  const contents = {
    name: "x",
    esm: new Uint8Array([1]),
    mcpb: undefined,
    sources: [join(folder, "no"), source],
  };
  await expect(writeOutputs(plan, contents)).rejects.toThrow("is a source of the bundle");
  expect(readFileSync(source, "utf8")).toBe("source");
  const elsewhere = { ...plan, path: join(folder, "other", "source.mjs") };
  expect(await writeOutputs(elsewhere, contents)).toHaveLength(1);
});
