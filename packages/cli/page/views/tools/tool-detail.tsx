/**
 * @fileoverview Selected tool: its heading and its tabs.
 * @module cli/page-app/views/tools/tool-detail
 */
import { Badge } from "@tenon/ui/components/controls/badge.js";
import { Tabs } from "@tenon/ui/components/navigation/tabs.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import { useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { ChangeBadge, FindingBadge } from "../../components/badges.js";
import { DetailHeader } from "../../components/list-pane.js";
import { oneOf } from "../../state/settings.js";
import { toLabel } from "../../state/text.js";
import { annotationsOf } from "../../state/tools/tool-facts.js";
import { CallTab } from "./call-tab.js";
import { ModelTab } from "./model-tab.js";
import type { ToolProps } from "./tool-props.js";
import { WireTab } from "./wire-tab.js";

const TABS = ["call", "model", "wire"] as const;

/** Selected tool. */
export function ToolDetail({ tool }: ToolProps) {
  const { router } = useApp();
  const tab = oneOf(router.route.value.tab, TABS) ?? "call";
  return (
    <div class="p-detail">
      <ToolHeader tool={tool} />
      <Tabs
        label={`Views of ${tool.label}`}
        class="p-detail__tabs"
        tabs={[
          { id: "call", label: "Call", icon: "play" },
          {
            id: "model",
            label: "What the model sees",
            icon: "text",
            badge: <FindingBadge findings={tool.findings} />,
          },
          { id: "wire", label: "Wire", icon: "wire" },
        ]}
        selectedId={tab}
        onSelect={(id) => router.go({ area: "tools", id: tool.key, tab: id })}
      >
        {tab === "call" && <CallTab tool={tool} />}
        {tab === "model" && <ModelTab tool={tool} />}
        {tab === "wire" && <WireTab tool={tool} />}
      </Tabs>
    </div>
  );
}

function ToolHeader({ tool }: ToolProps) {
  return (
    <DetailHeader
      title={tool.title ?? tool.label}
      subtitle={tool.title === undefined ? undefined : tool.label}
      badges={
        <>
          <ChangeBadge change={tool.change} />
          {annotationsOf(tool.definition)
            .filter(({ tone }) => tone !== "neutral")
            .map(({ name, label, meaning, tone }) => (
              <Badge key={name} tone={tone} title={meaning}>
                {label}
              </Badge>
            ))}
          {tool.tokens !== undefined && <Badge>{formatQuantity(tool.tokens, "token")}</Badge>}
        </>
      }
    >
      <Description text={tool.description} />
    </DetailHeader>
  );
}

const SHORT = 240;

/** Description of a tool. A long one is cut until the user wants to see it. */
function Description({ text }: { readonly text: string }) {
  const [isLong, setIsLong] = useState(false);
  if (text.trim() === "") return <p class="t-quiet">The tool has no description.</p>;
  const isCut = text.length > SHORT || text.includes("\n");
  if (!isCut) return <p class="p-description">{text}</p>;
  return (
    <div class="p-description">
      <p data-long={isLong}>{isLong ? text.slice(0, 10_000) : toLabel(text, SHORT)}</p>
      <button type="button" class="p-text-button" aria-expanded={isLong} onClick={() => setIsLong(!isLong)}>
        {isLong ? "Show less" : "Show more"}
      </button>
    </div>
  );
}
