/**
 * @fileoverview Area with the calls of every client: a timeline, and the selected call.
 * @module cli/page-app/views/calls/calls-view
 */
import { List } from "@tenon/ui/components/collections/list.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import { useMemo } from "preact/hooks";
import type { CallSummary } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { useSetting } from "../../components/hooks.js";
import { RouteLink } from "../../components/links.js";
import { AreaSplit } from "../../components/list-pane.js";
import { frameOf } from "../../state/calls/call-bars.js";
import { CALL_FILTER, filterCalls, isFiltering, NO_FILTER } from "../../state/calls/call-filter.js";
import { callLabel } from "../../state/calls/call-facts.js";
import { toLabel } from "../../state/text.js";
import { CallDetailView } from "./call-detail.js";
import { CallFilters } from "./call-filters.js";
import { CallRow } from "./call-row.js";
import { CallToolbar } from "./call-toolbar.js";
import { ReplayPanel } from "./replay-panel.js";
import { SCALE, WaterfallLegend } from "./waterfall-legend.js";

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
      noun="calls"
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
