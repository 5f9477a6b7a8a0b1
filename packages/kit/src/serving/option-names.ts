/**
 * @fileoverview Names that users try for options of the serving functions, and the options that they mean.
 * @module kit/serving/option-names
 */
import { HTTP_OPTION_ALIASES } from "tenon/host";

/** Common wrong names, and the options they stand for. */
export const ALIASES: Readonly<Record<string, string>> = {
  ...HTTP_OPTION_ALIASES,
  hostname: "host",
  log: "logger",
  express: "app",
  endpoint: "path",
  route: "path",
  factory: "serverFactory",
  createServer: "serverFactory",
  stdio: "streams",
};
