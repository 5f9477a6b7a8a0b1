/**
 * @fileoverview Compiles the servers to JavaScript, so that no loader affects the measurements.
 * @module bench/lib/build
 */
import { readdirSync } from "node:fs";
import { build } from "esbuild";
import { BENCH, BUILD } from "./paths.js";

/** Compiles every file of `servers/` and `hello/`. Packages, including Tenon, stay external. */
export async function buildServers(): Promise<void> {
  const files = ["servers", "hello"].flatMap((folder) =>
    readdirSync(`${BENCH}/${folder}`)
      .filter((name) => name.endsWith(".ts"))
      .map((name) => ({ in: `${BENCH}/${folder}/${name}`, out: `${folder}-${name.slice(0, -3)}` })),
  );
  await build({
    entryPoints: files,
    outdir: BUILD,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    external: ["../../packages/*"],
    tsconfigRaw: "{}",
    logLevel: "error",
  });
}
