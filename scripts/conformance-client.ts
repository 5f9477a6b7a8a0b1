/**
 * @fileoverview `npm run conformance:client`: runs the client scenarios of the official conformance suite with
 * `tenon/client` and `@tenon/oauth`. Fails on any failed check or warning, except in scenarios that are expected to fail.
 * @module scripts/conformance-client
 */
import { reportOutcome } from "../tools/conformance/report.js";
import { runClientConformance } from "../tools/conformance/run-conformance.js";

process.exitCode = reportOutcome(await runClientConformance(), console.log) ? 0 : 1;
