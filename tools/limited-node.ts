/**
 * @fileoverview Command line of a Node process with little memory, as in a container. `ulimit -v` limits the address space,
 * of which Node reserves much more than it uses.
 * @module tools/limited-node
 */
import { execFileSync } from "node:child_process";

/**
 * Returns the program and the arguments that run Node with `args`.
 *
 * @param spareMegabytes address space besides that of a Node process that does nothing. No limit by default
 */
export function limitedNode(
  args: readonly string[],
  spareMegabytes?: number,
): readonly [program: string, args: readonly string[]] {
  if (spareMegabytes === undefined) return [process.execPath, args];
  const script = `ulimit -v ${idleKilobytes() + spareMegabytes * 1_024} && exec "$0" "$@"`;
  return ["bash", ["-c", script, process.execPath, NO_GUARD, ...args]];
}

/** Keeps V8 from reserving 10 GB of address space for each WebAssembly memory. The `fetch` of Node has one. */
const NO_GUARD = "--disable-wasm-trap-handler";

/** Returns the address space of a Node process that does nothing. */
function idleKilobytes(): number {
  const script = 'console.log(require("node:fs").readFileSync("/proc/self/status", "utf8"))';
  const status = execFileSync(process.execPath, ["--eval", script], { encoding: "utf8" });
  return Number(/VmPeak:\s+(\d+)/.exec(status)?.[1]);
}
