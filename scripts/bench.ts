/**
 * @fileoverview `npm run bench`: compares Tenon with other frameworks and with plain Node.js. `--help` lists the flags.
 * @module scripts/bench
 */
import { isOtherNode, rerunOn } from "../bench/lib/node-version.js";
import { HELP, parseOptions } from "../bench/lib/options.js";
import { BENCH } from "../bench/lib/paths.js";
import { installOnce } from "../tools/install-once.js";

const NEEDS = [
  "@hono/node-server",
  "@modelcontextprotocol/server",
  "fastmcp",
  "hono-node-server-v1",
  "mcp-lite",
  "tmcp",
  "zod",
];

const options = parseOptions(process.argv.slice(2));
if (options.help) {
  console.log(HELP);
} else if (isOtherNode(options.node)) {
  process.exitCode = await rerunOn(options.node);
} else {
  const failure = await installOnce(BENCH, NEEDS);
  if (failure !== undefined) throw new Error(failure);
  const { runBenchmark } = await import("../bench/main.js");
  await runBenchmark(options);
}
