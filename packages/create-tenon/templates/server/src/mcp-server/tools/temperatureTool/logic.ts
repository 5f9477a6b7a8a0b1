/**
 * @fileoverview Schemas, types and business logic of the `get_temperature` tool.
 * @module src/mcp-server/tools/temperatureTool/logic
 * @see {@link src/mcp-server/tools/temperatureTool/registration.ts} for the handler.
 */
import { logger, type RequestContext } from "@tenon/app";
import { z } from "zod";
import { weatherProvider } from "../../../services/weather/weatherProvider.js";

/** Input of the tool. */
export const TemperatureToolInputSchema = z.object({
  latitude: z
    .number()
    .min(-90)
    .max(90)
    .describe(
      "Latitude in decimal degrees, north positive. Look up the place's coordinates first.",
    ),
  longitude: z.number().min(-180).max(180).describe("Longitude in decimal degrees, east positive."),
});

/** Output of the tool. */
export const TemperatureToolResponseSchema = z.object({
  celsius: z.number().describe("The air temperature in degrees Celsius, 2 m above the ground."),
  observedAt: z.string().describe("Time of the observation in UTC (ISO 8601, to the minute)."),
});

/** Validated input of the tool. */
export type TemperatureToolInput = z.infer<typeof TemperatureToolInputSchema>;

/** Result of the tool. */
export type TemperatureToolResponse = z.infer<typeof TemperatureToolResponseSchema>;

/**
 * Looks up the temperature at a place.
 *
 * @param params - The validated input.
 * @param context - The request context, for logging.
 * @returns The temperature and the time of the observation.
 * @throws {McpError} `SERVICE_UNAVAILABLE` if the weather service fails.
 */
export async function temperatureToolLogic(
  params: TemperatureToolInput,
  context: RequestContext,
): Promise<TemperatureToolResponse> {
  logger.debug("Looking up a temperature.", { ...context, toolInput: params });
  return weatherProvider.currentTemperature(params, context);
}
