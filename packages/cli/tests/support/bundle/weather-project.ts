/**
 * @fileoverview Projects for tests of `tenon bundle` and `tenon publish`: a small weather server and variations of it.
 * @module tests/cli/support/bundle/weather-project
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { afterFile } from "../../../../../tests/support/after-file.js";
import { connectV1 } from "../../../../../tools/official-clients/v1-client.js";
import { connectV2 } from "../../../../../tools/official-clients/v2-client.js";
import { ROOT } from "../../../../../tools/source-files.js";

/** Files by path. `undefined` removes a file of the weather project. */
export type ProjectFiles = Readonly<Record<string, string | Uint8Array | undefined>>;

/** Members of the weather project's `package.json`. */
export const PACKAGE = {
  name: "@acme/weather",
  version: "1.2.0",
  description: "Weather forecasts for any city",
  type: "module",
  author: "Ada Lovelace <ada@example.com> (https://example.com/ada)",
  license: "MIT",
  keywords: ["weather", "forecast"],
  repository: { type: "git", url: "git+https://github.com/acme/weather-mcp.git" },
  bin: { weather: "./dist/weather.mjs" },
} as const;

/** A PNG image with one pixel. */
export const ICON = new Uint8Array(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);

const SERVER = `
import { defineServer } from "tenon";
import { z } from "zod";
import { describeUnits, type Units } from "./units.js";

export const config = z.object({
  WEATHER_API_KEY: z.string().min(3).optional().describe("API key of the weather service"),
  WEATHER_UNITS: z.enum(["celsius", "fahrenheit"]).default("celsius").describe("Temperature unit"),
  WEATHER_LIMIT: z.coerce.number().min(1).max(50).default(10).describe("Maximum number of results"),
  WEATHER_CACHE: z.string().optional().meta({ title: "Cache folder", description: "Folder for cached data", format: "directory" }),
});

console.log("the weather server is loaded");

class WeatherError extends Error {}

function readTheSky(city: string): never {
  throw new WeatherError("no sky over " + city);
}

export default defineServer({ name: "weather", version: "1.2.0", title: "Weather" })
  .tool("forecast", {
    description: "Returns the forecast for a city",
    input: z.object({ city: z.string() }),
    handler: ({ city }) => {
      const { WEATHER_UNITS } = config.parse(process.env);
      const units: Units = WEATHER_UNITS;
      return "Sunny in " + city + ", in " + describeUnits(units);
    },
  })
  .tool("settings", {
    description: "Returns the settings",
    annotations: { readOnlyHint: true, openWorldHint: false },
    handler: () => JSON.stringify(config.parse(process.env)),
  })
  .tool("fail", { description: "Always fails", handler: () => readTheSky("Riga") })
  .resource("sky", { uri: "weather://sky", description: "State of the sky", handler: () => "blue" })
  .prompt("plan", {
    description: "Plans a day",
    arguments: z.object({ city: z.string() }),
    handler: ({ city }) => "Plan a day in " + city,
  });
`;

const UNITS = `
export type Units = "celsius" | "fahrenheit";

export enum Sign { celsius = "°C", fahrenheit = "°F" }

export function describeUnits(units: Units): string {
  return Sign[units];
}
`;

/** Files of the weather project. */
export const WEATHER: ProjectFiles = {
  "package.json": `${JSON.stringify(PACKAGE, null, 2)}\n`,
  // Without it, the compiler would read the configuration of this repository.
  "tsconfig.json": '{ "compilerOptions": { "module": "nodenext", "strict": true } }\n',
  "README.md": "# Weather\n",
  "icon.png": ICON,
  "src/server.ts": SERVER,
  "src/units.ts": UNITS,
};

/**
 * Writes the weather project and the given files to a new folder inside this repository, so that imports of packages
 * resolve. `depth` is the number of additional folders above the project.
 */
export function createProject(files: ProjectFiles = {}, depth = 0): string {
  mkdirSync(`${ROOT}/.tmp`, { recursive: true });
  const base = mkdtempSync(`${ROOT}/.tmp/bundle-`);
  afterFile(() => rmSync(base, { recursive: true, force: true }));
  const folder = join(base, ...Array.from({ length: depth }, (_, index) => `level-${index}`), "project");
  writeFiles(folder, { ...WEATHER, ...files });
  return folder;
}

/** Writes files to a folder. */
export function writeFiles(folder: string, files: ProjectFiles): void {
  for (const [path, content] of Object.entries(files)) {
    if (content === undefined) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Returns the text of `package.json` with changed members. `undefined` removes a member. */
export function packageWith(changes: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify({ ...PACKAGE, ...changes }, null, 2)}\n`;
}

/** Lists the files in a folder, with the paths of those in its subfolders. */
export function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

/** Starts a program and connects an official client of version 1 or 2. */
export function connectOfficial(
  version: 1 | 2,
  {
    file,
    cwd,
    env = {},
  }: { readonly file: string; readonly cwd: string; readonly env?: Record<string, string> },
) {
  const program = { command: process.execPath, args: [file], cwd, env, stderr: "ignore" as const };
  return version === 1 ? connectV1(new StdioV1(program)) : connectV2("auto", new StdioV2(program));
}
