/**
 * @fileoverview `npm run bench`: compares Tenon with other frameworks and with plain Node.js. `--help` lists the flags.
 * @module scripts/bench
 */
import { HELP, parseOptions } from "../bench/lib/options.js";
import { BENCH } from "../bench/lib/paths.js";
import { installOnce } from "../tools/install-once.js";

const options = parseOptions(process.argv.slice(2));
if (options.help) {
  console.log(HELP);
} else {
  const needs = ["mcp-lite", "tmcp", "fastmcp", "@modelcontextprotocol/server", "zod"];
  const failure = await installOnce(BENCH, needs);
  if (failure !== undefined) throw new Error(failure);
  const { runBenchmark } = await import("../bench/main.js");
  await runBenchmark(options);
}
