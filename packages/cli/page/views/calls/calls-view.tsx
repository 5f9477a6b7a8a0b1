/**
 * @fileoverview Area with the calls of every client: a timeline, a replay with its differences, and the selected call.
 * @module cli/page-app/views/calls/calls-view
 */
import { List } from "@tenon/ui/components/collections/list.js";
import { Button, IconButton } from "@tenon/ui/components/controls/button.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { formatClock, formatDuration, formatQuantity } from "@tenon/ui/support/format.js";
import { useMemo, useState } from "preact/hooks";
import type { CallSummary, ReplayState } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { useSetting } from "../../components/hooks.js";
import { RouteLink } from "../../components/links.js";
import { AreaSplit } from "../../components/list-pane.js";
import {
  barOf,
  durationOf,
  frameOf,
  PHASES,
  type WaterfallFrame,
  type WaterfallScale,
} from "../../state/calls/call-bars.js";
import { CALL_FILTER, filterCalls, isFiltering, NO_FILTER } from "../../state/calls/call-filter.js";
import { callLabel, ERA_LABELS, OUTCOME_FACTS } from "../../state/calls/call-facts.js";
import { toLabel } from "../../state/text.js";
import { CallDetailView } from "./call-detail.js";
import { CallFilters, CallToolbar } from "./call-toolbar.js";
import { ProgressBar } from "@tenon/ui/components/data/meters.js";
import { WaterfallBar } from "@tenon/ui/components/data/waterfall.js";
import { OutcomeIcon } from "../../components/badges.js";
import { Segments } from "@tenon/ui/components/navigation/tabs.js";
import type { Setting } from "../../state/memory.js";
import { oneOf } from "../../state/settings.js";

/** Area with the calls. */
export function CallsView() {
  const { store, router } = useApp();
  const filter = useSetting(CALL_FILTER).value;
  const calls = store.calls.value;
  const shown = useMemo(() => filterCalls(calls.values(), filter), [calls, filter]);
  const { id } = router.route.value;
  const selected = id ?? shown[0]?.id;
  return (
    <AreaSplit
      area="calls"
      size={500}
      list={
        <div class="p-list">
          <CallToolbar shown={shown} />
          <ReplayPanel />
          {calls.size > 0 && <CallFilters />}
          <CallList calls={shown} total={calls.size} selected={selected} />
        </div>
      }
      detail={selected === undefined ? null : <CallDetailView key={selected} id={selected} />}
    />
  );
}

const ROW_HEIGHT = 46;

interface CallListProps {
  readonly calls: readonly CallSummary[];
  readonly total: number;
  readonly selected: string | undefined;
}

function CallList({ calls, total, selected }: CallListProps) {
  const { router, store } = useApp();
  const scale = useSetting(SCALE).value;
  const filter = useSetting(CALL_FILTER);
  const now = store.runningCalls.value > 0 ? store.now.value : 0;
  const frame = useMemo(() => frameOf(calls, scale, now), [calls, scale, now]);
  if (total === 0) return <NoCalls />;
  return (
    <>
      <WaterfallLegend
        status={`${formatQuantity(calls.length, "call")}${isFiltering(filter.value) ? ` of ${total}` : ""}`}
      />
      <List
        label="Calls, newest first"
        class="p-list__rows"
        items={calls}
        keyOf={(call) => call.id}
        textOf={callLabel}
        rowHeight={ROW_HEIGHT}
        selectedKey={selected}
        onSelect={(call) => router.go({ area: "calls", id: call.id, tab: router.route.peek().tab })}
        renderItem={(call) => <CallRow call={call} frame={frame} now={now} />}
        empty={
          <EmptyState
            title="No call matches the filter"
            icon="filter"
            actions={
              <Button
                onClick={() => {
                  filter.value = NO_FILTER;
                }}
              >
                Clear the filter
              </Button>
            }
          />
        }
      />
    </>
  );
}

function NoCalls() {
  const launch = useApp().store.launch.value;
  // `tenon inspect` does not see the calls of other clients.
  const endpoint = launch?.mode === "dev" ? launch.endpoint : undefined;
  return (
    <EmptyState title="No calls yet" icon="clock">
      <p>
        <RouteLink to={{ area: "tools" }}>Call a tool</RouteLink>
        {endpoint === undefined ? "." : ", or connect a client to "}
        {endpoint !== undefined && <code class="p-wrap">{toLabel(endpoint, 300)}</code>}
      </p>
      <p>
        {launch?.mode === "dev" ? "Every call of every client" : "Every call of this page"} appears here, with
        its messages and its times.
      </p>
    </EmptyState>
  );
}

const MAX_DIFFERENCES = 100;

/** Panel with the last replay, until the user closes it. */
function ReplayPanel() {
  const { store, attempt } = useApp();
  const [closedId, setClosedId] = useState<string>();
  const replay = store.replay.value;
  if (replay === undefined || replay.id === closedId) return null;
  const isRunning = replay.status === "running";
  return (
    <section class="p-replay" aria-label="Replay">
      <div class="p-replay__head">
        <strong role="status">{describe(replay)}</strong>
        {isRunning ? (
          <Button icon="stop" tone="danger" onClick={() => void attempt("cancel-replay", { id: replay.id })}>
            Cancel
          </Button>
        ) : (
          <IconButton icon="close" label="Close the replay" onClick={() => setClosedId(replay.id)} />
        )}
      </div>
      <ProgressBar
        label="Progress of the replay"
        value={replay.done}
        total={replay.total}
        text={`${replay.done} of ${replay.total}`}
      />
      {replay.differences.length > 0 && <Differences differences={replay.differences} />}
    </section>
  );
}

function Differences({ differences }: Pick<ReplayState, "differences">) {
  return (
    <ul class="p-replay__list">
      {differences.slice(0, MAX_DIFFERENCES).map(({ name, before, after, callId, isResult }, index) => (
        <li key={index}>
          {callId === "" ? (
            toLabel(name, 80)
          ) : (
            <RouteLink to={{ area: "calls", id: callId }}>{toLabel(name, 80)}</RouteLink>
          )}
          <span class="t-quiet">
            {isResult
              ? " has another result"
              : ` was "${OUTCOME_FACTS[before].label}", and is "${OUTCOME_FACTS[after].label}" now`}
          </span>
        </li>
      ))}
      {differences.length > MAX_DIFFERENCES && (
        <li>{formatQuantity(differences.length - MAX_DIFFERENCES, "more difference")}</li>
      )}
    </ul>
  );
}

function describe({ status, differences, done }: ReplayState): string {
  if (status === "running") return "Replaying";
  const found =
    differences.length === 0 ? "no differences" : formatQuantity(differences.length, "difference");
  const calls = formatQuantity(done, "call");
  return status === "done" ? `Replayed ${calls}: ${found}` : `Cancelled after ${calls}: ${found}`;
}

/** Properties of `CallRow`. */
interface CallRowProps {
  readonly call: CallSummary;
  readonly frame: WaterfallFrame;
  readonly now: number;
}

/** Row of a call: its name, its client, and its bar. */
function CallRow({ call, frame, now }: CallRowProps) {
  const isRunning = call.outcome === "running";
  const time = Math.max(now, call.at);
  const { segments, period } = barOf(call, frame, time);
  return (
    <div class="p-call-row">
      <OutcomeIcon outcome={call.outcome} />
      <span class="p-call-row__name">{callLabel(call)}</span>
      <span class="p-call-row__time">{formatDuration(durationOf(call, time))}</span>
      <span class="p-call-row__facts">
        {formatClock(call.at).slice(0, 8)} · {toLabel(call.client.name, 40)} · {ERA_LABELS[call.era]} ·{" "}
        {toLabel(call.method, 40)}
      </span>
      <div class="p-call-row__bar">
        <WaterfallBar label="Phases" segments={segments} period={period} isRunning={isRunning} />
      </div>
    </div>
  );
}

const SCALES = ["duration", "timeline"] as const;

/** Scale of the waterfall that the page remembers. */
const SCALE: Setting<WaterfallScale> = {
  key: "calls.scale",
  initial: "duration",
  parse: (value) => oneOf(value, SCALES),
};

/** Legend of the waterfall. */
function WaterfallLegend({ status }: { readonly status: string }) {
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
