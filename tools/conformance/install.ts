/**
 * @fileoverview Installs the official conformance suite, and finds a Node.js that can run it: the suite requires
 * version 22, the project does not.
 * @module tools/conformance/install
 */
import { fileURLToPath } from "node:url";
import { installOnce } from "../install-once.js";
import { nodeBinary } from "../nodes/binary.js";

/** The suite: a Node.js binary, and the file to run with it. */
export interface Suite {
  readonly node: string;
  readonly entry: string;
}

/** The suite, or the reason it is missing. */
export type SuiteOutcome =
  { readonly ok: true; readonly suite: Suite } | { readonly ok: false; readonly reason: string };

/** Finds the suite. Installs it if it is missing or has another version. */
export async function findSuite(): Promise<SuiteOutcome> {
  const failure = await installOnce(FOLDER, [SUITE]);
  if (failure !== undefined) return { ok: false, reason: failure };
  const isNew = Number.parseInt(process.versions.node, 10) >= LEAST_MAJOR;
  const node = isNew ? process.execPath : await nodeBinary(LEAST_MAJOR);
  if (typeof node !== "string") return { ok: false, reason: node.reason };
  return { ok: true, suite: { node, entry: `${FOLDER}/node_modules/${SUITE}/dist/index.js` } };
}

const FOLDER = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");
const SUITE = "@modelcontextprotocol/conformance";
const LEAST_MAJOR = 22;
