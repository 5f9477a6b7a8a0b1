/**
 * @fileoverview The `get_temperature` tool's schemas, types and business logic.
 * @module src/mcp-server/tools/temperatureTool/logic
 * @see {@link src/mcp-server/tools/temperatureTool/registration.ts} for the handler that catches.
 */
import { logger, type RequestContext } from "@tenon/app";
import { z } from "zod";
import { weatherProvider } from "../../../services/weather/weatherProvider.js";

/** What the tool takes. */
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

/** What the tool gives. */
export const TemperatureToolResponseSchema = z.object({
  celsius: z.number().describe("The air temperature in degrees Celsius, 2 m above the ground."),
  observedAt: z.string().describe("When it was observed, as ISO 8601 in UTC, to the minute."),
});

/** The validated input of the tool. */
export type TemperatureToolInput = z.infer<typeof TemperatureToolInputSchema>;

/** The result of the tool. */
export type TemperatureToolResponse = z.infer<typeof TemperatureToolResponseSchema>;

/**
 * Looks up the temperature at a place.
 *
 * @param params - The validated input.
 * @param context - The request context, for the log.
 * @returns The temperature, and when it was observed.
 * @throws {McpError} `SERVICE_UNAVAILABLE` where the weather service gives no usable answer.
 */
export async function temperatureToolLogic(
  params: TemperatureToolInput,
  context: RequestContext,
): Promise<TemperatureToolResponse> {
  logger.debug("Looking up a temperature.", { ...context, toolInput: params });
  return weatherProvider.currentTemperature(params, context);
}
