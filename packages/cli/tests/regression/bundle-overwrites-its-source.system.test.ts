import { linkSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tenonInProcess } from "../../../../tests/support/program.js";
import { createProject } from "../support/bundle/weather-project.js";

const SERVER = `
import { defineServer } from "tenon";
import { helper } from "./helper.mjs";
export default defineServer({ name: "weather", version: "1.2.0" }).tool("a", { description: "A", handler: helper });
`;
const FILES = { "dist/weather.mjs": SERVER, "dist/helper.mjs": 'export const helper = () => "a";\n' };

test.each<[string, readonly string[], string]>([
  ["the module, by the default name", [], "dist/weather.mjs"],
  ["the module, by --out", ["--out", "dist/weather.mjs"], "dist/weather.mjs"],
  ["a module that it imports", ["--format", "esm", "--out", "dist/helper.mjs"], "dist/helper.mjs"],
  ["a module that it imports, by --name", ["--format", "esm", "--name", "helper"], "dist/helper.mjs"],
  ["the module, by a link", ["--out", "link.mjs"], "link.mjs"],
  ["the module, by a hard link", ["--out", "hard.mjs"], "hard.mjs"],
])("a bundle does not replace %s", { timeout: 120_000 }, async (_title, args, named) => {
  const folder = createProject(FILES);
  symlinkSync(join(folder, "dist/weather.mjs"), join(folder, "link.mjs"));
  linkSync(join(folder, "dist/weather.mjs"), join(folder, "hard.mjs"));
  const { code, stdout, stderr } = await tenonInProcess(["bundle", "dist/weather.mjs", ...args], {
    cwd: folder,
  });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(
    `"${join(folder, named)}" is a source of the bundle, so it cannot be replaced by the bundle. ` +
      "Choose another file or folder with --out, or another name with --name.",
  );
  for (const [path, text] of Object.entries(FILES))
    expect(readFileSync(join(folder, path), "utf8")).toBe(text);
});
