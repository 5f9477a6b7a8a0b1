/**
 * @fileoverview Tests the weather provider against a local service.
 * @module tests/services/weather/weatherProvider.test
 */
import { requestContextService } from "@tenon/app";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WeatherProvider } from "../../../src/services/weather/weatherProvider.js";
import { startWeatherEndpoint, SUNNY } from "../../support/weatherEndpoint.js";

const RIGA = { latitude: 56.95, longitude: 24.1 };
const context = requestContextService.createRequestContext({ operation: "test" });

describe("the weather provider", () => {
  let endpoint: Awaited<ReturnType<typeof startWeatherEndpoint>>;
  let provider: WeatherProvider;

  beforeEach(async () => {
    endpoint = await startWeatherEndpoint();
    provider = new WeatherProvider(() => ({ url: endpoint.url, apiKey: "weather-secret" }));
  });

  afterEach(() => endpoint.close());

  it("requests the location with the API key", async () => {
    const observation = await provider.currentTemperature(RIGA, context);
    expect(observation).toEqual({ celsius: 21.5, observedAt: "2026-01-15T12:00" });
    expect(Object.fromEntries(endpoint.requests[0]?.searchParams ?? [])).toEqual({
      latitude: "56.95",
      longitude: "24.1",
      current: "temperature_2m",
      apikey: "weather-secret",
    });
  });

  it("caches each location separately, for all callers", async () => {
    await provider.currentTemperature(RIGA, context);
    await provider.currentTemperature(RIGA, context);
    expect(endpoint.requests).toHaveLength(1);
    await provider.currentTemperature({ ...RIGA, latitude: 57 }, context);
    expect(endpoint.requests).toHaveLength(2);
  });

  it.each([
    ["an error status", { status: 500, body: "password=hunter2" }],
    ["an oversized body", { ...SUNNY, body: SUNNY.body + " ".repeat(200_000) }],
    ["invalid JSON", { status: 200, body: "<html>" }],
    ["JSON with a different shape", { status: 200, body: '{"current":{"temperature_2m":"warm"}}' }],
  ])("throws SERVICE_UNAVAILABLE if the service returns %s", async (_, answer) => {
    endpoint.answer = answer;
    await expect(provider.currentTemperature(RIGA, context)).rejects.toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      message: "The weather service is not available. Try again later.",
    });
  });

  it("retries after a failure", async () => {
    endpoint.answer = { status: 503, body: "" };
    await expect(provider.currentTemperature(RIGA, context)).rejects.toThrow();
    endpoint.answer = SUNNY;
    await expect(provider.currentTemperature(RIGA, context)).resolves.toBeDefined();
  });
});
