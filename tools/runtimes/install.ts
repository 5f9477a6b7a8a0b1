/**
 * @fileoverview Installs the binaries of the runtimes, and finds the one for this machine. The platform packages are
 * used directly, so that no install script needs to run.
 * @module tools/runtimes/install
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installOnce } from "../install-once.js";

/** Runtimes that are installed here. Node.js is not one of them, because it runs this code. */
export type InstalledRuntime = "bun" | "deno" | "workerd";

/** This folder, with a trailing slash. */
export const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** Path of a runtime's binary, or the reason it is missing. */
export type BinaryOutcome =
  { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** Finds the binary of a runtime. Installs all runtimes if they are missing or have other versions. */
export async function findBinary(runtime: InstalledRuntime): Promise<BinaryOutcome> {
  const { platform, arch } = process;
  if (!(platform === "linux" || platform === "darwin") || !(arch === "x64" || arch === "arm64")) {
    return { ok: false, reason: `There is no ${runtime} for ${platform} on ${arch}.` };
  }
  const failure = await installOnce(FOLDER.replace(/\/$/, ""), ["bun", "deno", "workerd"]);
  if (failure !== undefined) return { ok: false, reason: failure };
  const binary = BINARIES[runtime](platform, arch);
  const path = `${FOLDER}node_modules/${binary}`;
  return existsSync(path)
    ? { ok: true, path }
    : { ok: false, reason: `npm ci did not install ${binary} for ${platform} on ${arch}.` };
}

/** Path of each runtime's binary below `node_modules`. */
const BINARIES: Readonly<
  Record<InstalledRuntime, (platform: "linux" | "darwin", arch: "x64" | "arm64") => string>
> = {
  bun: (platform, arch) => `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : "x64"}/bin/bun`,
  deno: (platform, arch) => `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}/deno`,
  workerd: (platform, arch) =>
    `@cloudflare/workerd-${platform}-${arch === "arm64" ? "arm64" : "64"}/bin/workerd`,
};
