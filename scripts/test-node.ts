/**
 * @fileoverview `npm run test:node24`: runs the tests on a different major version of Node.js, which npm installs on
 * first use. All processes that the tests start use the same version.
 *
 * `npm run test:node -- --node=22` selects the version. Further arguments are for Vitest, such as a folder.
 * @module scripts/test-node
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { nodeBinary, type NodeMajor } from "../tools/nodes/binary.js";
import { runBounded } from "../tools/process.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const VITEST = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const MAJORS: readonly NodeMajor[] = [22, 24];
const FLAG = "--node=";

const args = process.argv.slice(2);
// The last one wins, so that an argument of the user overrides the one in package.json.
const chosen = args.findLast((arg) => arg.startsWith(FLAG))?.slice(FLAG.length) ?? "24";
const major = MAJORS.find((one) => String(one) === chosen);
if (major === undefined)
  throw new TypeError(`${FLAG.slice(0, -1)} must be one of ${MAJORS.join(", ")}; got ${chosen}.`);
const binary = await nodeBinary(major);
if (typeof binary === "string")
  process.exitCode = await runTests(
    binary,
    args.filter((arg) => !arg.startsWith(FLAG)),
  );
else {
  console.error(`Node ${major} is not available, so no test ran: ${binary.reason}`);
  process.exitCode = 1;
}

async function runTests(node: string, rest: readonly string[]): Promise<number> {
  const PATH = [dirname(node), process.env["PATH"]].join(delimiter);
  // Programs such as npm and tsx find Node.js in the path, so they must find this one.
  const env = { ...process.env, PATH };
  const seen = await runBounded("node", ["--version"], { cwd: ROOT, timeoutMs: 10_000, env: { PATH } });
  console.log(`Tests on Node ${seen.output}${rest.length === 0 ? "" : `, only ${rest.join(" ")}`}`);
  const child = spawn(node, [VITEST, "run", ...rest], { cwd: ROOT, env, stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}
