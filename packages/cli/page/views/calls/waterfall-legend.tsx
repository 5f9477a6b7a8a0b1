/**
 * @fileoverview Legend of the waterfall, and the choice of its scale.
 * @module cli/page-app/views/calls/waterfall-legend
 */
import { Segments } from "@tenon/ui/components/navigation/tabs.js";
import { useSetting } from "../../components/hooks.js";
import { PHASES, type WaterfallScale } from "../../state/calls/call-bars.js";
import type { Setting } from "../../state/memory.js";
import { oneOf } from "../../state/settings.js";

const SCALES = ["duration", "timeline"] as const;

/** Scale of the waterfall that the page remembers. */
export const SCALE: Setting<WaterfallScale> = {
  key: "calls.scale",
  initial: "duration",
  parse: (value) => oneOf(value, SCALES),
};

/** Legend of the waterfall. */
export function WaterfallLegend({ status }: { readonly status: string }) {
  const scale = useSetting(SCALE);
  return (
    <div class="p-legend">
      <span role="status">{status}</span>
      <Segments
        label="Scale of the bars"
        options={[
          { id: "duration", label: "Duration" },
          { id: "timeline", label: "Timeline" },
        ]}
        selectedId={scale.value}
        onSelect={(id) => {
          scale.value = oneOf(id, SCALES) ?? "duration";
        }}
      />
      <ul class="p-legend__phases">
        {Object.values(PHASES).map(({ title, series, meaning }) => (
          <li key={title} data-series={series} title={meaning}>
            {title}
          </li>
        ))}
      </ul>
    </div>
  );
}
