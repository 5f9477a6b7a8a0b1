/**
 * @fileoverview Loads the configuration. This is the only file that reads environment variables.
 * @module src/config
 */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { lazyConfig, loadAppConfig } from "@tenon/app";
import { z } from "zod";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const PackageSchema = z.object({ name: z.string(), version: z.string() });

/** This server's own variables, in addition to the standard ones from `@tenon/app`. */
const ExtraVariables = {
  WEATHER_API_URL: z
    .url({ protocol: /^https?$/ })
    .default("https://api.open-meteo.com/v1/forecast")
    .describe("Weather service URL"),
  WEATHER_API_KEY: z.string().optional().describe("Weather service API key"),
  NOTES_DATABASE_PATH: z
    .string()
    .default("data/notes.db")
    .transform((path) => (path === ":memory:" ? path : resolve(PROJECT, path)))
    .describe("SQLite file for notes, relative to the project; :memory: keeps them in memory"),
};

/**
 * Validates environment variables. The server's name and version default to those in package.json.
 *
 * @param environment - The variables, such as `process.env`.
 * @returns The frozen configuration. Secrets are redacted when it is logged.
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
 * @returns The variables in the file.
 */
export function readEnvFile(file: URL): NodeJS.ProcessEnv {
  return existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
}

/** The configuration, loaded on first use. Environment variables take precedence over `.env`. */
export const config: Config = lazyConfig(() =>
  loadConfig({ ...readEnvFile(new URL("../../.env", import.meta.url)), ...process.env }),
);
