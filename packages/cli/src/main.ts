/**
 * @fileoverview Entry point for the `tenon` program.
 * @module cli/main
 */
import { runInProcess } from "@tenon/internal/command-line/run-in-process";
import { runCli } from "./run-cli.js";

await runInProcess(runCli);
