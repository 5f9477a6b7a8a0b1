/**
 * @fileoverview Draws bar charts as SVG.
 * @module bench/lib/svg
 */

/** One bar. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly text: string;
  /** True for Tenon's own bar, which is highlighted. */
  readonly own: boolean;
}

const WIDTH = 720;
const LABEL = 130;
const ROW = 26;
const TOP = 44;
const ROOM = WIDTH - LABEL - 90;

/** Colors that are readable on white and on near-black. The system's color scheme selects the text color. */
const STYLE = `
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 14px; }
  .bar { fill: #9aa4af; }
  .own { fill: #2f81f7; }
  .axis { stroke: #8b949e; stroke-opacity: 0.5; }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .bar { fill: #6e7681; } }
`;

/** Draws a chart of horizontal bars. */
export function drawBars(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const height = TOP + bars.length * ROW + 12;
  const rows = bars.map(({ label, value, text, own }, index) => {
    const y = TOP + index * ROW;
    const length = Math.max((value / most) * ROOM, 1).toFixed(1);
    return [
      `<text x="${LABEL - 10}" y="${y + 15}" text-anchor="end">${escape(label)}</text>`,
      `<rect class="${own ? "own" : "bar"}" x="${LABEL}" y="${y + 2}" width="${length}" height="${ROW - 8}" rx="3"/>`,
      `<text x="${(LABEL + Number(length) + 8).toFixed(1)}" y="${y + 15}">${escape(text)}</text>`,
    ].join("\n  ");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(title)}">
  <style>${STYLE}</style>
  <text class="title" x="12" y="24">${escape(title)}</text>
  <line class="axis" x1="${LABEL}" y1="${TOP - 4}" x2="${LABEL}" y2="${height - 8}"/>
  ${rows.join("\n  ")}
</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
