/**
 * @fileoverview `npm run examples:official -- CHECKOUT`: compiles and runs the server examples of the official SDK with
 * only their imports changed to Tenon. Fails if one does not compile, or does not behave as it does unmodified.
 * @module scripts/official-examples
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type ExampleResult, formatResults, isFailed } from "../tools/official-examples/report.js";
import { isV1Checkout, runV1Checkout } from "../tools/official-examples/v1-checkout.js";
import { isV2Checkout, runV2Checkout } from "../tools/official-examples/v2-checkout.js";

const USAGE = `Usage: npm run examples:official -- CHECKOUT [--v1 | --v2] [--only NAME]

Compiles and runs the server examples of the official SDK with only their imports changed to Tenon.

  CHECKOUT     folder of a checkout of https://github.com/modelcontextprotocol/typescript-sdk
  --v1         the checkout contains version 1, such as the tag v1.29.0
  --v2         the checkout contains version 2, such as the branch main
  --only NAME  run a single example. In version 2, "guides" runs the programs of the documentation pages,
               which quote exact bytes and are otherwise left out

The packages that the examples import are installed from npm into a temporary folder.`;

/** Versions of the official SDK: how to recognize a checkout, and how to run its examples. */
const VERSIONS = {
  v1: { isIn: isV1Checkout, run: runV1Checkout },
  v2: { isIn: isV2Checkout, run: runV2Checkout },
} as const;

/** Runs the examples of a checkout and prints the table. @throws if an argument is wrong */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      v1: { type: "boolean", default: false },
      v2: { type: "boolean", default: false },
      only: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const [given, extra] = positionals;
  if (given === undefined || extra !== undefined) throw new Error("Pass the folder of one checkout.");
  if (values.v1 && values.v2) throw new Error("Pass --v1 or --v2, not both.");
  const checkout = resolve(given);
  const wanted = values.v1 ? (["v1"] as const) : values.v2 ? (["v2"] as const) : (["v1", "v2"] as const);
  const version = wanted.find((name) => VERSIONS[name].isIn(checkout));
  if (version === undefined)
    throw new Error(`"${given}" is not a checkout of the official SDK (${wanted.join(" or ")}).`);
  const results: ExampleResult[] = [];
  await VERSIONS[version].run({
    checkout,
    only: values.only,
    onResult(result) {
      console.error(`${isFailed(result) ? "✗" : "✓"} ${result.name}`);
      results.push(result);
    },
  });
  console.log(formatResults(results));
  process.exitCode = results.some(isFailed) ? 1 : 0;
}

try {
  await main();
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = 1;
}
