/**
 * @fileoverview Tests the temperature logic with a local weather service.
 * @module tests/mcp-server/tools/temperatureTool/logic.test
 */
import { requestContextService } from "@tenon/app";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { zocker } from "zocker";
import {
  TemperatureToolInputSchema,
  temperatureToolLogic,
  TemperatureToolResponseSchema,
} from "../../../../src/mcp-server/tools/temperatureTool/logic.js";
import { logged } from "../../../support/log.js";
import { startWeatherEndpoint, SUNNY } from "../../../support/weatherEndpoint.js";

const context = requestContextService.createRequestContext({ operation: "test" });

describe("the temperature logic", () => {
  let endpoint: Awaited<ReturnType<typeof startWeatherEndpoint>>;

  beforeAll(async () => {
    endpoint = await startWeatherEndpoint();
    vi.stubEnv("WEATHER_API_URL", endpoint.url); // set before the configuration is loaded
  });

  afterEach(() => {
    endpoint.answer = SUNNY;
  });

  afterAll(() => endpoint.close());

  it("returns valid output for any valid input", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const input = TemperatureToolInputSchema.parse(
        zocker(TemperatureToolInputSchema).setSeed(seed).generate(),
      );
      const response = await temperatureToolLogic(input, context);
      expect(TemperatureToolResponseSchema.parse(response).celsius).toBe(21.5);
    }
  });

  it("throws SERVICE_UNAVAILABLE if the weather service fails", async () => {
    endpoint.answer = { status: 500, body: "" };
    await expect(
      temperatureToolLogic({ latitude: 1.5, longitude: 2.5 }, context),
    ).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  });

  it("logs with the given context", async () => {
    await temperatureToolLogic({ latitude: 3.5, longitude: 4.5 }, context);
    expect(logged.map(({ message }) => message)).toEqual([
      "Looking up a temperature.",
      "The weather service responded.",
    ]);
    for (const record of logged)
      expect(record.context).toMatchObject({ requestId: context.requestId });
  });
});
