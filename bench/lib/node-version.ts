/**
 * @fileoverview Runs the benchmark on a different major version of Node.js. Its servers then run on that version too.
 * @module bench/lib/node-version
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";
import { nodeBinary, type NodeMajor } from "../../tools/nodes/binary.js";

export type { NodeMajor };

/** Versions that npm can install. */
export const NODE_MAJORS: readonly NodeMajor[] = [22, 24];

/** Returns true if this process does not run on the given version. */
export function isOtherNode(major: NodeMajor | undefined): major is NodeMajor {
  return major !== undefined && !process.version.startsWith(`v${major}.`);
}

/** Starts this program again on a version, with the same arguments. Returns its exit code. @throws if it is missing */
export async function rerunOn(major: NodeMajor): Promise<number> {
  const node = await nodeBinary(major);
  if (typeof node !== "string")
    throw new Error(`Node ${major} is not available, so nothing was measured: ${node.reason}`);
  const [, script = "", ...args] = process.argv;
  const PATH = [dirname(node), process.env["PATH"]].join(delimiter);
  const child = spawn(node, ["--import", "tsx", script, ...args], {
    env: { ...process.env, PATH },
    stdio: "inherit",
  });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}
