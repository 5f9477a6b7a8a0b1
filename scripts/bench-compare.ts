/**
 * @fileoverview `npm run bench:compare -- FOLDER [CASE]`: compares this checkout with a different one.
 * @module scripts/bench-compare
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { BENCH } from "../bench/lib/paths.js";
import { installOnce } from "../tools/install-once.js";

const [folder, part] = process.argv.slice(2);
if (folder === undefined || !existsSync(resolve(folder, "packages/tenon/dist"))) {
  console.error(
    "Usage: npm run bench:compare -- FOLDER [CASE]\n\n" +
      "FOLDER  a different checkout, after npm ci and npm run build\n" +
      "CASE    part of a case's title, such as stdio",
  );
  process.exitCode = 2;
} else {
  const failure = await installOnce(BENCH, ["@hono/node-server", "hono-node-server-v1", "zod"]);
  if (failure !== undefined) throw new Error(failure);
  const { compare } = await import("../bench/compare.js");
  await compare(resolve(folder), part);
}
