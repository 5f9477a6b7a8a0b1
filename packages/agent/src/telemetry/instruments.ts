/**
 * @fileoverview Histograms that the OpenTelemetry conventions for generative AI define.
 * @module agent/telemetry/instruments
 */
import type * as OpenTelemetry from "@opentelemetry/api";

/** Name of a histogram. */
export type InstrumentName = keyof typeof INSTRUMENTS;

/** Name of the tracer and the meter. */
export const SCOPE = "@tenon/agent";

/** Creates a function that looks up a histogram by name. */
export function createInstruments(
  api: typeof OpenTelemetry,
): (name: InstrumentName) => OpenTelemetry.Histogram {
  let provider: unknown;
  let created = new Map<InstrumentName, OpenTelemetry.Histogram>();
  return (name) => {
    // Looked up for each recording, because an SDK may be registered after the server is created.
    const current = api.metrics.getMeterProvider();
    if (current !== provider) {
      provider = current;
      created = new Map();
    }
    let histogram = created.get(name);
    if (histogram === undefined) {
      const { boundaries, ...options } = INSTRUMENTS[name];
      histogram = current.getMeter(SCOPE).createHistogram(name, {
        ...options,
        advice: { explicitBucketBoundaries: [...boundaries] },
      });
      created.set(name, histogram);
    }
    return histogram;
  };
}

/** Bucket boundaries, as specified by the conventions. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const RUN_SECONDS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];
const TOKENS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];

const INSTRUMENTS = {
  "gen_ai.invoke_agent.duration": {
    description: "Duration of a run, from its start to its end.",
    unit: "s",
    boundaries: RUN_SECONDS,
  },
  "gen_ai.client.operation.duration": {
    description: "Duration of a request to the model, including retries.",
    unit: "s",
    boundaries: SECONDS,
  },
  "gen_ai.client.operation.time_to_first_chunk": {
    description: "Time from the request to the model to the first piece of its response.",
    unit: "s",
    boundaries: SECONDS,
  },
  "gen_ai.client.token.usage": {
    description: "Number of input or output tokens that the model used for a response.",
    unit: "{token}",
    boundaries: TOKENS,
  },
  "gen_ai.execute_tool.duration": {
    description: "Duration of a tool call.",
    unit: "s",
    boundaries: SECONDS,
  },
} as const;
