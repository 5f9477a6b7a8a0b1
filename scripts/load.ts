/**
 * @fileoverview `npm run load`: runs the full load and endurance tests on loopback, with bounded counts and times.
 * @module scripts/load
 */
import { readSharedSessions } from "../tests/support/load-shared.js";
import { countMisrouted, readIdleSessions, stopUnderLoad } from "../tests/support/load.js";

const misrouted = await countMisrouted({ clients: 100, calls: 1_000 });
console.log(`100 clients × 1,000 calls with identical IDs: ${misrouted} misrouted`);

const { before, withSessions, after, left } = await readIdleSessions(10_000);
const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)} KiB`;
console.log(
  `10,000 idle sessions: ${kilobytes(withSessions - before)} while open ` +
    `(${((withSessions - before) / 10_000 / 1024).toFixed(2)} KiB each), ` +
    `${kilobytes(after - before)} after they expired, ${left} still open`,
);

const shared = await readSharedSessions(10_000);
const sharedGrowth = shared.many - shared.few;
console.log(
  `10,000 idle sessions in Redis: the node's heap is ${kilobytes(sharedGrowth)} larger than with 100, ` +
    `${shared.served} of ${shared.tried} tried sessions respond`,
);

const totals = { finished: 0, refused: 0, lost: 0 };
for (let round = 1; round <= 50; round++) {
  const { finished, refused, lost } = await stopUnderLoad(50);
  totals.finished += finished;
  totals.refused += refused;
  totals.lost += lost;
  if (round % 10 === 0) console.log(`  ${round} of 50 restarts`);
}
console.log(
  `SIGTERM under load, 50 times: ${totals.finished} calls finished, ${totals.refused} rejected, ${totals.lost} lost`,
);

const failed =
  misrouted > 0 ||
  left > 0 ||
  after - before > (withSessions - before) / 4 ||
  sharedGrowth > 1024 ** 2 ||
  shared.served < shared.tried ||
  totals.lost > 0;
console.log(failed ? "Some figures exceed their limits." : "All figures are within their limits.");
process.exitCode = failed ? 1 : 0;
