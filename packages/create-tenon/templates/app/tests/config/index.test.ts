/**
 * @fileoverview Tests the configuration with valid and invalid environments.
 * @module tests/config/index.test
 */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadConfig, readEnvFile } from "../../src/config/index.js";

describe("the configuration", () => {
  it("uses the name and version from package.json, and defaults for the rest", () => {
    expect(loadConfig({})).toMatchObject({
      mcpServerName: process.env["npm_package_name"] ?? expect.any(String),
      mcpTransportType: "stdio",
      mcpAuthMode: "none",
      extra: { WEATHER_API_URL: "https://api.open-meteo.com/v1/forecast" },
    });
  });

  it("reads variables from a file, and treats a missing file as empty", () => {
    const here = new URL("../../", import.meta.url);
    expect(readEnvFile(new URL(".env.example", here))).toMatchObject({ MCP_HTTP_PORT: "3010" });
    expect(loadConfig(readEnvFile(new URL(".env.example", here))).mcpHttpPort).toBe(3010);
    expect(readEnvFile(new URL("nothing-here", here))).toEqual({});
  });

  it("resolves the path of the database relative to the project", () => {
    const pathFor = (NOTES_DATABASE_PATH: string) =>
      loadConfig({ NOTES_DATABASE_PATH }).extra.NOTES_DATABASE_PATH;
    expect(pathFor("")).toBe(fileURLToPath(new URL("../../data/notes.db", import.meta.url)));
    expect(pathFor("/srv/notes.db")).toBe(resolve("/srv/notes.db"));
    expect(pathFor(":memory:")).toBe(":memory:");
  });

  it("reports every invalid variable in one error", () => {
    const environment = { MCP_HTTP_PORT: "many", MCP_AUTH_MODE: "jwt", WEATHER_API_URL: "here" };
    expect(() => loadConfig(environment)).toThrow(
      /MCP_HTTP_PORT[^]*MCP_AUTH_SECRET_KEY[^]*WEATHER_API_URL/,
    );
  });

  it("does not expose secrets", () => {
    const shown = JSON.stringify(
      loadConfig({ WEATHER_API_KEY: "weather-secret", MCP_AUTH_SECRET_KEY: "s".repeat(32) }),
    );
    expect(shown).not.toContain("weather-secret");
    expect(shown).not.toContain("sss");
  });
});
