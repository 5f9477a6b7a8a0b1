/**
 * @fileoverview `npm run example -- cluster`: starts Redis, two nodes, and nginx on loopback, kills a node, and shows
 * that nothing was lost.
 * @module examples/cluster/main
 */
import { startCluster } from "./cluster.js";
import { isComplete, runDemo } from "./demo.js";

const cluster = await startCluster();
try {
  console.log(`Redis, the nodes a and b, and nginx are running. The endpoint is ${cluster.url}.`);
  const outcome = await runDemo(cluster, (line) => console.log(line));
  const { tasks, calls, events, updates, session } = outcome;
  console.log(`
  tasks      ${tasks.correct} of ${tasks.total} have the right result; node b took over ${tasks.takenOver} of them
  calls      ${calls.completed} of ${calls.total} have completed; ${calls.reportedLost} ended with an error, because their node was lost
  events     ${events.received} were received; ${events.missing} are missing, ${events.duplicated} arrived twice
  updates    ${updates.received} of ${updates.total} were received
  session    ${session.isSame ? "the same session" : "a different session"}, now served by node ${session.nodes.join(" and ")}
`);
  console.log(isComplete(outcome) ? "Nothing was lost." : "Something was lost. See the counts above.");
  process.exitCode = isComplete(outcome) ? 0 : 1;
} finally {
  await cluster.close();
}
