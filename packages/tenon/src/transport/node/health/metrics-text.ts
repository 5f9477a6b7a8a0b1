/**
 * @fileoverview Prometheus text format for metrics.
 * @module tenon/transport/node/health/metrics-text
 */

/** One value of a metric. */
export interface Sample {
  /** Part after the metric's name, such as `_bucket`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Metric and its values. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

/** Content type of the text format. */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Renders metrics. Metrics with the same name are merged, because the format allows each name only once. */
export function renderMetrics(metrics: readonly Metric[]): string {
  const byName = new Map<string, Metric>();
  for (const metric of metrics) {
    const known = byName.get(metric.name);
    const samples = known === undefined ? metric.samples : [...known.samples, ...metric.samples];
    byName.set(metric.name, { ...(known ?? metric), samples });
  }
  return [...byName.values()].map(renderMetric).join("");
}

/** Adds a label to every value of a metric. */
export function withLabel(metric: Metric, name: string, value: string): Metric {
  const samples = metric.samples.map((sample) => ({
    ...sample,
    labels: { ...sample.labels, [name]: value },
  }));
  return { ...metric, samples };
}

function renderMetric({ name, help, type, samples }: Metric): string {
  const lines = samples.map(
    ({ suffix = "", labels = {}, value }) =>
      `${name}${suffix}${renderLabels(labels)} ${renderValue(value)}\n`,
  );
  return `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escapeText(value).replace(/"/g, '\\"')}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function renderValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

function escapeText(text: string): string {
  return text.replace(/\\/g, "\\\\").replace(/\n/g, "\\n");
}
