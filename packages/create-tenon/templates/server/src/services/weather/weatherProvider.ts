/**
 * @fileoverview The weather service: its address, its key, its answers, and the one instance that all tools share.
 * @module src/services/weather/weatherProvider
 */
import { BaseErrorCode, logger, McpError, type RequestContext, traceHeaders } from "@tenon/app";
import { z } from "zod";
import { config } from "../../config/index.js";

/** A place on earth, in decimal degrees. */
export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/** A temperature, and when it was observed. */
export interface Observation {
  readonly celsius: number;
  readonly observedAt: string;
}

/** How the service is reached. */
export interface WeatherSettings {
  readonly url: string;
  readonly apiKey?: string;
}

/** As much of an answer as is used. Others wrote it, so that it is checked like any input. */
const AnswerSchema = z.object({
  current: z.object({ time: z.string().max(32), temperature_2m: z.number() }),
});

const TIMEOUT_MS = 5_000;
const FRESH_MS = 60_000;
const MAX_PLACES = 1_000;
const MAX_ANSWER_BYTES = 100_000;

/** A client of the weather service. It remembers what it learned for a minute, for everyone. */
export class WeatherProvider {
  readonly #settings: () => WeatherSettings;
  // Mutable, because to ask once for all callers is what this class is for; never more than MAX_PLACES.
  readonly #known = new Map<
    string,
    { readonly observation: Observation; readonly until: number }
  >();

  /** @param settings - Gives the settings when they are first needed. */
  constructor(settings: () => WeatherSettings) {
    this.#settings = settings;
  }

  /**
   * Gets the temperature at a place.
   *
   * @param place - Where.
   * @param context - The request context, for the log and the trace.
   * @throws {McpError} `SERVICE_UNAVAILABLE` where the service gives no usable answer in time.
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
      if (!response.ok) throw new Error(`The weather service answered ${response.status}`);
      const { current } = AnswerSchema.parse(JSON.parse(await readBounded(response)));
      logger.debug("The weather service answered.", context);
      return { celsius: current.temperature_2m, observedAt: current.time };
    } catch (cause) {
      // Its words stay in the log: they are not ours to pass on.
      throw new McpError(
        BaseErrorCode.SERVICE_UNAVAILABLE,
        "The weather service gave no usable answer.",
        undefined,
        { cause },
      );
    }
  }
}

/** The one instance; import it where it is needed. */
export const weatherProvider = new WeatherProvider(() => ({
  url: config.extra.WEATHER_API_URL,
  apiKey: config.extra.WEATHER_API_KEY,
}));

/** Reads an answer, no further than it may be long. */
async function readBounded(response: Response): Promise<string> {
  // Mutable, because a stream is counted and kept as it comes.
  let size = 0;
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new Error("The weather service answered too much");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
