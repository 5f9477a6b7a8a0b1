/**
 * @fileoverview Finds a newer Node.js binary for this machine.
 * @module tools/nodes/binary
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installOnce } from "../install-once.js";

/** Major versions of Node.js that are installed here. */
export type NodeMajor = 22 | 24;

const FOLDER = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");

/** Returns the path of a Node.js binary, or the reason it is missing. Binaries are installed on first use. */
export async function nodeBinary(major: NodeMajor): Promise<string | { readonly reason: string }> {
  const { platform, arch } = process;
  const nameOf = (one: NodeMajor) => `node${one}-${platform}-${arch}`;
  const failure = await installOnce(FOLDER, [nameOf(22), nameOf(24)]);
  if (failure !== undefined) return { reason: failure };
  const path = `${FOLDER}/node_modules/${nameOf(major)}/bin/node`;
  return existsSync(path)
    ? path
    : { reason: `npm ci did not install Node ${major} for ${platform} on ${arch}.` };
}
