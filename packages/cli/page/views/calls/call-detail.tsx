/**
 * @fileoverview Selected call: its result, arguments, times, and messages.
 * @module cli/page-app/views/calls/call-detail
 */
import { isJsonObject } from "@tenon/internal/json";
import { Badge } from "@tenon/ui/components/controls/badge.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { Tabs } from "@tenon/ui/components/navigation/tabs.js";
import { JsonView } from "@tenon/ui/json/json-view.js";
import type { CallDetail, CallSummary } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { EraBadge, OutcomeBadge } from "../../components/badges.js";
import { type ShownCall, useCall } from "../../components/hooks.js";
import { DetailHeader, JsonDetails, Section } from "../../components/list-pane.js";
import { RouteLink } from "../../components/links.js";
import type { Route } from "../../routes/route.js";
import { callLabel, worstCheck } from "../../state/calls/call-facts.js";
import { oneOf } from "../../state/settings.js";
import { toLabel } from "../../state/text.js";
import { CallActions, type CallActionsProps } from "../call/call-actions.js";
import { CallOutcomeView } from "../call/outcome.js";
import { CallWire } from "../wire/call-wire.js";
import { KeyValueList } from "@tenon/ui/components/data/key-value.js";
import { WaterfallBar, WaterfallDetail } from "@tenon/ui/components/data/waterfall.js";
import { formatBytes, formatClock, formatDuration } from "@tenon/ui/support/format.js";
import { durationOf, segmentsOf } from "../../state/calls/call-bars.js";

const TABS = ["result", "arguments", "timing", "wire"] as const;

/** Selected call. */
export function CallDetailView({ id }: { readonly id: string }) {
  const { router } = useApp();
  const shown = useCall(id);
  const { summary, detail } = shown;
  if (summary === undefined) {
    return (
      <EmptyState title="This call is not recorded anymore" icon="clock">
        <p>Only the last calls are kept. Select another one from the list.</p>
      </EmptyState>
    );
  }
  const tab = oneOf(router.route.value.tab, TABS) ?? "result";
  const worst = detail === undefined ? undefined : worstCheck(detail.checks);
  return (
    <div class="p-detail">
      <CallHeader call={summary} detail={detail} />
      <Tabs
        label="Views of the call"
        class="p-detail__tabs"
        tabs={[
          { id: "result", label: "Result" },
          { id: "arguments", label: "Arguments" },
          { id: "timing", label: "Timing" },
          {
            id: "wire",
            label: "Wire",
            badge: worst !== undefined && (
              <Badge tone={worst === "failed" ? "danger" : "warning"} icon>
                {worst === "failed" ? "failed" : "warning"}
              </Badge>
            ),
          },
        ]}
        selectedId={tab}
        onSelect={(next) => router.go({ area: "calls", id, tab: next })}
      >
        <div class="p-model">
          <TabContent tab={tab} id={id} shown={shown} />
        </div>
      </Tabs>
    </div>
  );
}

interface TabContentProps {
  readonly tab: (typeof TABS)[number];
  readonly id: string;
  readonly shown: ShownCall;
}

function TabContent({ tab, id, shown }: TabContentProps) {
  const { summary, detail } = shown;
  switch (tab) {
    case "result":
      return (
        <>
          <CallOutcomeView {...shown} isCancelShown={false} />
          {detail?.result !== undefined && (
            <JsonDetails title="Whole result as JSON" label="Result" value={detail.result} />
          )}
        </>
      );
    case "arguments":
      return detail === undefined ? <Spinner label="Loading" /> : <Arguments detail={detail} />;
    case "timing":
      return summary === undefined ? null : <CallTiming call={summary} />;
    case "wire":
      return (
        <>
          <CompareButton detail={detail} />
          <CallWire id={id} />
        </>
      );
  }
}

function CallHeader({ call, detail }: Omit<CallActionsProps, "onRepeated">) {
  const { router } = useApp();
  const target = targetOf(call);
  return (
    <DetailHeader
      title={callLabel(call)}
      subtitle={toLabel(call.method, 60)}
      badges={
        <>
          <OutcomeBadge outcome={call.outcome} />
          <EraBadge era={call.era} revision={call.revision} />
        </>
      }
    >
      <p class="t-quiet">
        {`From ${toLabel(call.client.name, 60)}`}
        {call.client.session !== undefined && ` (${toLabel(call.client.session, 60)})`}
        {call.taskId !== undefined && (
          <>
            , runs as <RouteLink to={{ area: "activity" }}>task {toLabel(call.taskId, 60)}</RouteLink>
          </>
        )}
        {target !== undefined && (
          <>
            . <RouteLink to={target.route}>{target.text}</RouteLink>
          </>
        )}
      </p>
      <div class="p-call__buttons">
        <CallActions call={call} detail={detail} onRepeated={(id) => router.go({ area: "calls", id })} />
      </div>
    </DetailHeader>
  );
}

/** Returns the place of the tool, resource, or prompt that a call uses. */
function targetOf({
  method,
  name,
}: CallSummary): { readonly route: Route; readonly text: string } | undefined {
  if (name === undefined) return undefined;
  if (method === "tools/call") return { route: { area: "tools", id: name }, text: "Open the tool" };
  if (method === "resources/read")
    return { route: { area: "resources", id: name }, text: "Open the resource" };
  return method === "prompts/get"
    ? { route: { area: "prompts", id: name }, text: "Open the prompt" }
    : undefined;
}

function Arguments({ detail }: { readonly detail: CallDetail }) {
  const { params } = detail;
  if (params === undefined)
    return <p class="t-quiet">The request has no parameters, or they are too long to be recorded.</p>;
  const isCall = detail.summary.method === "tools/call" || detail.summary.method === "prompts/get";
  return (
    <>
      {isCall && <JsonView label="Arguments" value={params["arguments"] ?? {}} />}
      {isCall ? (
        <JsonDetails title="All parameters" label="Parameters" value={params} />
      ) : (
        <JsonView label="Parameters" value={params} />
      )}
    </>
  );
}

/** Makes the same tool call in both eras, and shows the messages in the tab of the tool. */
function CompareButton({ detail }: { readonly detail: CallDetail | undefined }) {
  const app = useApp();
  const name = detail?.summary.method === "tools/call" ? detail.params?.["name"] : undefined;
  const tool = app.catalog.tools.value.find((one) => one.name === name);
  if (tool === undefined || app.eras.value.length < 2) return null;
  const compare = async () => {
    const args = detail?.params?.["arguments"];
    const ids = await app.attempt("compare", { tool: tool.name, arguments: isJsonObject(args) ? args : {} });
    if (ids === undefined) return;
    app.comparisons.value = new Map(app.comparisons.peek()).set(tool.key, ids);
    app.router.go({ area: "tools", id: tool.key, tab: "wire" });
  };
  return (
    <div class="p-call__buttons">
      <Button icon="wire" onClick={() => void compare()}>
        Call in both eras
      </Button>
    </div>
  );
}

/** Phases of a call, and the facts about it. */
function CallTiming({ call }: { readonly call: CallSummary }) {
  const { store } = useApp();
  const isRunning = call.outcome === "running";
  const now = isRunning ? Math.max(store.now.value, call.at) : 0;
  const segments = segmentsOf(call, now);
  const duration = durationOf(call, now);
  const period = { start: 0, end: Math.max(duration, ...segments.map(({ end }) => end), 0.001) };
  return (
    <>
      <Section title="Phases">
        <WaterfallBar label="Phases of the call" segments={segments} period={period} isRunning={isRunning} />
        <WaterfallDetail segments={segments} period={period} />
      </Section>
      <Section title="Facts">
        <KeyValueList
          entries={[
            { name: "Started", value: formatClock(call.at) },
            {
              name: "Duration",
              value: isRunning ? `${formatDuration(duration)}, running` : formatDuration(duration),
            },
            { name: "Request", value: sizeText(call.requestBytes) },
            { name: "Response", value: sizeText(call.responseBytes) },
            { name: "Revision", value: call.revision ?? "Unknown" },
          ]}
        />
      </Section>
    </>
  );
}

function sizeText(bytes: number | undefined): string {
  return bytes === undefined ? "Not recorded" : formatBytes(bytes);
}
