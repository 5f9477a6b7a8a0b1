/**
 * @fileoverview Loads the configuration. This is the only file that reads environment variables.
 * @module src/config
 */
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { lazyConfig, loadAppConfig } from "@tenon/app";
import { z } from "zod";

const PackageSchema = z.object({ name: z.string(), version: z.string() });

/** This server's own variables, in addition to the standard ones from `@tenon/app`. */
const ExtraVariables = {
  WEATHER_API_URL: z
    .url({ protocol: /^https?$/ })
    .default("https://api.open-meteo.com/v1/forecast")
    .describe("Weather service URL"),
  WEATHER_API_KEY: z.string().optional().describe("Weather service API key"),
};

/**
 * Validates environment variables. The server's name and version default to those in package.json.
 *
 * @param environment - The variables, such as `process.env`.
 * @throws {McpError} `CONFIGURATION_ERROR`, listing every invalid variable.
 */
export function loadConfig(environment: NodeJS.ProcessEnv) {
  const packageFile = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { name, version } = PackageSchema.parse(JSON.parse(packageFile));
  return loadAppConfig(environment, {
    defaults: { MCP_SERVER_NAME: name, MCP_SERVER_VERSION: version },
    extra: ExtraVariables,
  });
}

/** This server's configuration. */
export type Config = ReturnType<typeof loadConfig>;

/**
 * Reads variables from a file in the `.env` format.
 *
 * @param file - The file to read. A missing file counts as empty.
 */
export function readEnvFile(file: URL): NodeJS.ProcessEnv {
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
}

/** The configuration, loaded on first use. Environment variables take precedence over `.env`. */
export const config: Config = lazyConfig(() =>
  loadConfig({ ...readEnvFile(new URL("../../.env", import.meta.url)), ...process.env }),
);
