/**
 * @fileoverview Schemas, types, and business logic for the `get_temperature` tool.
 * @module src/mcp-server/tools/temperatureTool/logic
 * @see {@link src/mcp-server/tools/temperatureTool/registration.ts} for the handler.
 */
import { z } from "zod";
import { weatherProvider } from "../../../services/weather/weatherProvider.js";
import { logger, type RequestContext } from "../../../utils/index.js";

/** Input schema. The model reads the descriptions to decide how to call the tool. */
export const TemperatureToolInputSchema = z.object({
  latitude: z
    .number()
    .min(-90)
    .max(90)
    .describe(
      "Latitude in decimal degrees, north positive. Look up the location's coordinates first.",
    ),
  longitude: z.number().min(-180).max(180).describe("Longitude in decimal degrees, east positive."),
});

/** Output schema. Clients use it to validate results. */
export const TemperatureToolResponseSchema = z.object({
  celsius: z.number().describe("The air temperature in degrees Celsius, 2 m above the ground."),
  observedAt: z.string().describe("Observation time in UTC (ISO 8601, to the minute)."),
});

/** Validated tool input. */
export type TemperatureToolInput = z.infer<typeof TemperatureToolInputSchema>;

/** Structured tool result. */
export type TemperatureToolResponse = z.infer<typeof TemperatureToolResponseSchema>;

/**
 * Looks up the current temperature at a location.
 *
 * @param params - The validated input.
 * @param context - The request context, for logging.
 * @returns The temperature and the observation time.
 * @throws {McpError} `SERVICE_UNAVAILABLE` if the weather service fails.
 */
export async function temperatureToolLogic(
  params: TemperatureToolInput,
  context: RequestContext,
): Promise<TemperatureToolResponse> {
  logger.debug("Looking up a temperature.", { ...context, toolInput: params });
  return weatherProvider.currentTemperature(params, context);
}
