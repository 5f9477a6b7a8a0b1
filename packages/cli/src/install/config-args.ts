/**
 * @fileoverview Arguments and flags that `tenon install` and `tenon uninstall` share.
 * @module cli/install/config-args
 */
import { argument, choice, type FlagValues, toggle, value } from "@tenon/internal/command-line/flags";
import { outputArgs } from "../define-command.js";
import { CLIENTS } from "./clients.js";

/** Argument that selects the client. */
export const CLIENT_ARG = { client: argument(`Client: ${CLIENTS.map(({ name }) => name).join(", ")}`) };

/** Flags that select the configuration file, and a dry run. */
export const CONFIG_ARGS = {
  scope: choice(
    ["user", "project"],
    "Configuration for all projects, or for the current folder (default: user)",
  ),
  file: value("path", "Configuration file to change, instead of the client's own"),
  "dry-run": toggle("Show the change as a diff, and write nothing"),
};

/** Flags for the output. */
export const OUTPUT_ARGS = outputArgs("Print the result as JSON");

/** Values of `CONFIG_ARGS`. */
export type ConfigFlags = FlagValues<typeof CONFIG_ARGS>;
