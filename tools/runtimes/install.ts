/**
 * @fileoverview Puts the runtimes' binaries in place, and finds the one for this machine. The platform packages are
 * used as they are, so that no install script needs to run.
 * @module tools/runtimes/install
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installOnce } from "../install-once.js";

/** The runtimes that are installed here. Node is not one of them: it is what runs this. */
export type InstalledRuntime = "bun" | "deno" | "workerd";

/** This folder, with a slash at its end. */
export const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** The path of a runtime's binary, or why there is none. */
export type BinaryOutcome =
  { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** Finds a runtime's binary, after installing all of them where they are missing or of other versions. */
export async function findBinary(runtime: InstalledRuntime): Promise<BinaryOutcome> {
  const { platform, arch } = process;
  if (!(platform === "linux" || platform === "darwin") || !(arch === "x64" || arch === "arm64")) {
    return { ok: false, reason: `no ${runtime} is known for ${platform} on ${arch}` };
  }
  const failure = await installOnce(FOLDER.replace(/\/$/, ""), ["bun", "deno", "workerd"]);
  if (failure !== undefined) return { ok: false, reason: failure };
  const binary = BINARIES[runtime](platform, arch);
  const path = `${FOLDER}node_modules/${binary}`;
  return existsSync(path)
    ? { ok: true, path }
    : { ok: false, reason: `npm ci brought no ${binary} for ${platform} on ${arch}` };
}

/** Where each runtime keeps its binary below `node_modules`. */
const BINARIES: Readonly<
  Record<InstalledRuntime, (platform: "linux" | "darwin", arch: "x64" | "arm64") => string>
> = {
  bun: (platform, arch) => `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : "x64"}/bin/bun`,
  deno: (platform, arch) => `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}/deno`,
  workerd: (platform, arch) =>
    `@cloudflare/workerd-${platform}-${arch === "arm64" ? "arm64" : "64"}/bin/workerd`,
};
