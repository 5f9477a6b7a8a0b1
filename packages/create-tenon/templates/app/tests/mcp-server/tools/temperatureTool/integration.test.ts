/**
 * @fileoverview Tests the temperature tool end to end, with a local weather service.
 * @module tests/mcp-server/tools/temperatureTool/integration.test
 */
import { rateLimiter } from "@tenon/app";
import { createClient } from "tenon/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createMcpServer } from "../../../../src/mcp-server/server.js";
import { startWeatherEndpoint, SUNNY } from "../../../support/weatherEndpoint.js";

const RIGA = { latitude: 56.95, longitude: 24.1 };
const reader = { principal: "ada", scopes: ["weather:read"] };

describe("get_temperature", () => {
  let endpoint: Awaited<ReturnType<typeof startWeatherEndpoint>>;

  beforeAll(async () => {
    endpoint = await startWeatherEndpoint();
    vi.stubEnv("WEATHER_API_URL", endpoint.url); // set before the configuration is loaded
  });

  afterEach(() => {
    endpoint.answer = SUNNY;
    rateLimiter.configure({ limit: 100 });
    rateLimiter.reset();
  });

  afterAll(() => endpoint.close());

  it("returns the weather service's temperature", async () => {
    const client = await createClient((await createMcpServer()).build(), { auth: reader });
    const { structuredContent } = await client.callTool("get_temperature", RIGA);
    expect(structuredContent).toEqual({ celsius: 21.5, observedAt: "2026-01-15T12:00" });
  });

  it("hides the weather service's error details", async () => {
    endpoint.answer = { status: 500, body: "password=hunter2" };
    const client = await createClient((await createMcpServer()).build(), { auth: reader });
    const { isError, content } = await client.callTool("get_temperature", { ...RIGA, latitude: 1 });
    expect(isError).toBe(true);
    expect(content).toEqual([
      { type: "text", text: "Error: The weather service is not available. Try again later." },
    ]);
  });

  it("requires a scope", async () => {
    const client = await createClient((await createMcpServer()).build(), {
      auth: { principal: "eve", scopes: [] },
    });
    const { isError, content } = await client.callTool("get_temperature", RIGA);
    expect(isError).toBe(true);
    expect(content).toEqual([
      {
        type: "text",
        text: "Error: Insufficient permissions. Missing required scopes: weather:read",
      },
    ]);
  });

  it("is rate limited per caller", async () => {
    rateLimiter.configure({ limit: 2 });
    const server = (await createMcpServer()).build();
    const call = async (principal: string) => {
      const client = await createClient(server, { auth: { ...reader, principal } });
      return (await client.callTool("get_temperature", RIGA)).isError ?? false;
    };
    expect([await call("ada"), await call("ada"), await call("ada")]).toEqual([false, false, true]);
    expect(await call("grace")).toBe(false);
  });
});
