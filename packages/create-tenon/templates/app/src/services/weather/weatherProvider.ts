/**
 * @fileoverview Weather service client, and the instance that all tools share.
 * @module src/services/weather/weatherProvider
 */
import { z } from "zod";
import { config } from "../../config/index.js";
import { BaseErrorCode, McpError } from "../../types-global/errors.js";
import { logger, type RequestContext, traceHeaders } from "../../utils/index.js";

/** A location in decimal degrees. */
export interface Coordinates {
  /** Degrees north of the equator, from -90 to 90. */
  readonly latitude: number;
  /** Degrees east of Greenwich, from -180 to 180. */
  readonly longitude: number;
}

/** Observed temperature and observation time. */
export interface Observation {
  /** Air temperature in degrees Celsius. */
  readonly celsius: number;
  /** Time of the observation in ISO 8601, UTC. */
  readonly observedAt: string;
}

/** Connection settings for the weather service. */
export interface WeatherSettings {
  /** URL of the forecast endpoint. */
  readonly url: string;
  /** API key. Omitted from requests if it is not set. */
  readonly apiKey?: string | undefined;
}

/** Response fields that are used. They are validated, because they come from an external service. */
const AnswerSchema = z.object({
  current: z.object({ time: z.string().max(32), temperature_2m: z.number() }),
});

const TIMEOUT_MS = 5_000;
const FRESH_MS = 60_000;
const MAX_PLACES = 1_000;
const MAX_ANSWER_BYTES = 100_000;

/** Weather service client. Caches each location for a minute and shares the cache between callers. */
export class WeatherProvider {
  readonly #settings: () => WeatherSettings;
  // Mutable, because it is a cache. It holds at most MAX_PLACES entries.
  readonly #known = new Map<
    string,
    { readonly observation: Observation; readonly until: number }
  >();

  /** @param settings - Returns the current settings. Called for each request to the service. */
  constructor(settings: () => WeatherSettings) {
    this.#settings = settings;
  }

  /**
   * Gets the current temperature at a location.
   *
   * @param place - The location.
   * @param context - The request context, for logging and tracing.
   * @returns The temperature and the time of the observation.
   * @throws {McpError} `SERVICE_UNAVAILABLE` if the service fails or returns invalid data.
   */
  async currentTemperature(place: Coordinates, context: RequestContext): Promise<Observation> {
    const key = `${place.latitude},${place.longitude}`;
    const known = this.#known.get(key);
    if (known !== undefined && known.until > Date.now()) return known.observation;

    const observation = await this.#ask(place, context);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= MAX_PLACES) this.#known.delete(oldest);
    this.#known.set(key, { observation, until: Date.now() + FRESH_MS });
    return observation;
  }

  async #ask(place: Coordinates, context: RequestContext): Promise<Observation> {
    const { url, apiKey } = this.#settings();
    const address = new URL(url);
    address.searchParams.set("latitude", String(place.latitude));
    address.searchParams.set("longitude", String(place.longitude));
    address.searchParams.set("current", "temperature_2m");
    if (apiKey !== undefined) address.searchParams.set("apikey", apiKey);
    try {
      const response = await fetch(address, {
        headers: traceHeaders(context),
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!response.ok)
        throw new Error(`The weather service responded with status ${response.status}.`);
      const { current } = AnswerSchema.parse(JSON.parse(await readBounded(response)));
      logger.debug("The weather service responded.", context);
      return { celsius: current.temperature_2m, observedAt: current.time };
    } catch (cause) {
      // The cause is logged but never sent to the client.
      throw new McpError(
        BaseErrorCode.SERVICE_UNAVAILABLE,
        "The weather service is not available. Try again later.",
        undefined,
        { cause },
      );
    }
  }
}

/** The instance that all tools share. */
export const weatherProvider = new WeatherProvider(() => ({
  url: config.extra.WEATHER_API_URL,
  apiKey: config.extra.WEATHER_API_KEY,
}));

/** Reads a response body. Throws if the body exceeds the size limit. */
async function readBounded(response: Response): Promise<string> {
  // Mutable, because chunks are counted and collected as they arrive.
  let size = 0;
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES)
      throw new Error(
        `The weather service's response is too large (limit: ${MAX_ANSWER_BYTES} bytes).`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
