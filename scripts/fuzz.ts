/**
 * @fileoverview `npm run fuzz [-- --frames=N --histories=N --seed=S]`: sends generated frames to a server. Checks that it
 * never throws, responds to each ID exactly once, and does not leak internals. Then runs generated histories of tasks.
 * @module scripts/fuzz
 */
import * as fc from "fast-check";
import { parseArgs } from "node:util";
import { createFuzzTarget, hostileFrame, throwFrame, wireState } from "../tests/support/fuzzing.js";
import { history } from "../packages/tenon/tests/tasks/property/commands.js";
import { createPeers, createSuccessors } from "../packages/tenon/tests/tasks/property/nodes.js";
import { runHistory } from "../packages/tenon/tests/tasks/property/world.js";

const { values } = parseArgs({
  options: {
    frames: { type: "string", default: "100000" },
    histories: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log(
    "Usage: npm run fuzz [-- --frames=N --histories=N --seed=S]\n" +
      "  --frames     number of frames (default: 100000)\n" +
      "  --histories  number of histories of tasks (default: 1000)\n" +
      "  --seed       seed of an earlier run, to repeat it",
  );
} else {
  const frames = Number(values.frames);
  const histories = Number(values.histories);
  const seed = Number(values.seed);
  if (
    ![frames, histories].every((count) => Number.isInteger(count) && count >= 0) ||
    !Number.isInteger(seed)
  ) {
    const got = `--frames=${values.frames} --histories=${values.histories} --seed=${values.seed}`;
    throw new Error(
      `--frames and --histories must be non-negative integers and --seed an integer; got ${got}.`,
    );
  }
  const server = createFuzzTarget();
  const frame = fc.asyncProperty(hostileFrame, wireState, (text, state) => throwFrame(server, text, state));
  await check("frames", frame, { numRuns: frames, seed });
  const half = { numRuns: Math.ceil(histories / 2), seed };
  for (const createCluster of [createSuccessors, createPeers]) {
    const story = fc.asyncProperty(history, (commands) => runHistory(createCluster, commands));
    await check("histories", story, half);
  }
}

async function check<T>(
  noun: string,
  property: fc.IAsyncPropertyWithHooks<T>,
  { numRuns, seed }: { readonly numRuns: number; readonly seed: number },
): Promise<void> {
  if (numRuns === 0) return;
  console.log(`Testing ${numRuns} ${noun} with seed ${seed}.`);
  let done = 0;
  property.afterEach(() => {
    if (++done % 10_000 === 0) console.log(`  ${done}`);
  });
  const report = await fc.check(property, { numRuns, seed });
  if (report.failed) {
    console.error(fc.defaultReportMessage(report));
    process.exitCode = 1;
  }
  console.log(`${report.numRuns} ${noun}, ${report.failed ? 1 : 0} failed`);
}
