/**
 * @fileoverview Entry point for the `create-tenon` program, which `npm create tenon` runs.
 * @module create-tenon/main
 */
import { runInProcess } from "@tenon/internal/command-line/run-in-process";
import { runCreate } from "./run-create.js";

await runInProcess(runCreate);
