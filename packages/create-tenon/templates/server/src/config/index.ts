/**
 * @fileoverview The configuration: the one place that reads the environment. Secrets come from nowhere else.
 * @module src/config
 */
import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { lazyConfig, loadAppConfig } from "@tenon/app";
import { z } from "zod";

const PackageSchema = z.object({ name: z.string(), version: z.string() });

/** Variables of this server's own, beside those of the standard. */
const ExtraVariables = {
  WEATHER_API_URL: z
    .url({ protocol: /^https?$/ })
    .default("https://api.open-meteo.com/v1/forecast")
    .describe("Where the weather service is"),
  WEATHER_API_KEY: z.string().optional().describe("Its key, where it wants one"),
};

/**
 * Reads and checks an environment. The server's name and version are those of package.json.
 *
 * @param environment - The variables, such as `process.env`.
 * @throws {McpError} `CONFIGURATION_ERROR`, naming every variable that is wrong.
 */
export function loadConfig(environment: NodeJS.ProcessEnv) {
  const packageFile = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { name, version } = PackageSchema.parse(JSON.parse(packageFile));
  return loadAppConfig(environment, {
    defaults: { MCP_SERVER_NAME: name, MCP_SERVER_VERSION: version },
    extra: ExtraVariables,
  });
}

/** What this server is configured by. */
export type Config = ReturnType<typeof loadConfig>;

/**
 * Reads a file of variables.
 *
 * @param file - Where it is; where there is none, there are no variables.
 */
export function readEnvFile(file: URL): NodeJS.ProcessEnv {
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
}

/** This process's configuration, read on first use: the environment, and below it the `.env` file beside package.json. */
export const config: Config = lazyConfig(() =>
  loadConfig({ ...readEnvFile(new URL("../../.env", import.meta.url)), ...process.env }),
);
