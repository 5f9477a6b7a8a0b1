/**
 * @fileoverview `npm run fuzz [-- --frames=N --seed=S]`: sends generated frames to a server. Checks that it never
 * throws, responds to each ID exactly once, and does not leak internals.
 * @module scripts/fuzz
 */
import * as fc from "fast-check";
import { parseArgs } from "node:util";
import { createFuzzTarget, hostileFrame, throwFrame, wireState } from "../tests/support/fuzzing.js";

const { values } = parseArgs({
  options: {
    frames: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log(
    "Usage: npm run fuzz [-- --frames=N --seed=S]\n" +
      "  --frames  number of frames (default: 100000)\n" +
      "  --seed    seed of an earlier run, to repeat it",
  );
} else {
  const numRuns = Number(values.frames);
  const seed = Number(values.seed);
  if (!Number.isInteger(numRuns) || numRuns < 1 || !Number.isInteger(seed)) {
    const got = `--frames=${values.frames} --seed=${values.seed}`;
    throw new Error(`--frames must be a positive integer and --seed an integer; got ${got}.`);
  }
  const server = createFuzzTarget();
  let done = 0;
  console.log(`Sending ${numRuns} frames with seed ${seed}.`);
  const report = await fc.check(
    fc.asyncProperty(hostileFrame, wireState, async (frame, state) => {
      await throwFrame(server, frame, state);
      if (++done % 10_000 === 0) console.log(`  ${done}`);
    }),
    { numRuns, seed },
  );
  if (report.failed) {
    console.error(fc.defaultReportMessage(report));
    process.exitCode = 1;
  }
  console.log(`${report.numRuns} frames, ${report.failed ? 1 : 0} failed`);
}
