/**
 * @fileoverview Counts executed blocks of code instead of measuring time. The same work gives the same count on every
 * machine, under any load.
 * @module tests/support/block-counts
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ROOT } from "../../tools/source-files.js";

const run = promisify(execFile);

/**
 * Returns the number of blocks that Tenon's built files execute while `work` runs.
 *
 * @param setup body of a module for a child process. It may import from `tenon` and must declare a function `work`.
 */
export async function countBlocks(setup: string): Promise<number> {
  const script = `
    import { Session } from "node:inspector/promises";
    import { setFlagsFromString } from "node:v8";
    // V8 does not count blocks in optimized code, nor in code compiled before counting was enabled.
    setFlagsFromString("--no-opt");
    const session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    ${setup}
    await work(); // excludes one-time work from the cost of a request
    await session.post("Profiler.takePreciseCoverage"); // resets the counts
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    let total = 0;
    for (const script of result.filter(({ url }) => url.includes("/dist/"))) {
      for (const { ranges } of script.functions) for (const { count } of ranges) total += count;
    }
    console.log(total);
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: ROOT });
  return Number(stdout);
}
