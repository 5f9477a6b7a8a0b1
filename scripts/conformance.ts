/**
 * @fileoverview `npm run conformance`: runs the official conformance suite against the everything server. Fails on any
 * failed check or warning, except in scenarios that are expected to fail, and if a scenario skips checks. With `--redis`, runs it against two nodes.
 * @module scripts/conformance
 */
import { parseArgs } from "node:util";
import { reportOutcome } from "../tools/conformance/report.js";
import { runConformance } from "../tools/conformance/run-conformance.js";

const { values } = parseArgs({ options: { redis: { type: "boolean", default: false } } });
process.exitCode = reportOutcome(await runConformance({ redis: values.redis }), console.log) ? 0 : 1;
