/**
 * @fileoverview Area with the tools: a tree, and the selected tool with its tabs.
 * @module cli/page-app/views/tools/tools-view
 */
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { CodeBlock } from "@tenon/ui/components/data/code-block.js";
import { useEffect, useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { useSetting } from "../../components/hooks.js";
import { AreaSplit, DetailHeader } from "../../components/list-pane.js";
import { LAST_TOOL, oneOf } from "../../state/settings.js";
import type { ToolItem } from "../../state/tools/tool-item.js";
import { ToolList } from "./tool-list.js";
import { Badge, Note } from "@tenon/ui/components/controls/badge.js";
import { Tabs } from "@tenon/ui/components/navigation/tabs.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import { ChangeBadge, FindingBadge } from "../../components/badges.js";
import { toLabel } from "../../state/text.js";
import { annotationsOf } from "../../state/tools/tool-facts.js";
import { CallTab } from "./call-tab.js";
import { ModelTab } from "./model-tab.js";
import { readArguments, type ToolProps } from "./use-tool-call.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { RouteLink } from "../../components/links.js";
import { WireComparison } from "../wire/call-wire.js";

/** Area with the tools. */
export function ToolsView() {
  const { catalog, router } = useApp();
  const { id } = router.route.value;
  const tools = catalog.tools.value;
  const last = useSetting(LAST_TOOL);
  useEffect(() => {
    if (id !== undefined) last.value = id;
  }, [id]);
  if (tools.length === 0) return <NoTools />;
  const selected = findSelected(tools, id, last.value);
  return (
    <AreaSplit
      area="tools"
      list={<ToolList selected={selected} />}
      detail={
        selected === undefined ? (
          <EmptyState title="The server does not have this tool" icon="tool">
            <p>It may have been renamed or removed. Select another tool from the list.</p>
          </EmptyState>
        ) : (
          <ToolDetail key={selected.key} tool={selected} />
        )
      }
    />
  );
}

/** Finds the selected tool: the one of the URL, or the last one, or the first one. */
function findSelected(
  tools: readonly ToolItem[],
  id: string | undefined,
  last: string,
): ToolItem | undefined {
  if (id !== undefined) return tools.find(({ key }) => key === id);
  return tools.find(({ key }) => key === last) ?? tools[0];
}

const EXAMPLE = `import { defineServer } from "tenon";

export default defineServer({ name: "my-server", version: "1.0.0" })
  .tool("hello", {
    description: "Says hello.",
    handler: () => "Hello!",
  })
  .build();`;

function NoTools() {
  const isDev = useApp().store.launch.value?.mode === "dev";
  return (
    <EmptyState title="The server has no tools" icon="tool">
      {isDev ? (
        <>
          <p>Add one to your code and save the file. It appears here immediately.</p>
          <CodeBlock text={EXAMPLE} label="Example" language="TypeScript" />
        </>
      ) : (
        <p>It may offer resources or prompts. Look at the other areas.</p>
      )}
    </EmptyState>
  );
}

const TABS = ["call", "model", "wire"] as const;

/** Selected tool. */
function ToolDetail({ tool }: ToolProps) {
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

/** Tab that compares the messages of both eras. */
function WireTab({ tool }: ToolProps) {
  const app = useApp();
  const [isStarting, setIsStarting] = useState(false);
  const comparison = app.comparisons.value.get(tool.key);
  const form = app.forms.get(tool);
  const compare = async () => {
    const args = readArguments(form);
    if (args === undefined) return;
    setIsStarting(true);
    const ids = await app.attempt("compare", { tool: tool.name, arguments: args });
    setIsStarting(false);
    if (ids !== undefined) app.comparisons.value = new Map(app.comparisons.peek()).set(tool.key, ids);
  };
  const button = (
    <Button
      tone="primary"
      icon="wire"
      isBusy={isStarting}
      isDisabled={form.isIncomplete.value}
      onClick={() => void compare()}
    >
      {app.eras.value.length > 1 ? "Call in both eras" : "Call and show the messages"}
    </Button>
  );
  return (
    <div class="p-model">
      {form.isIncomplete.value && (
        <Note tone="warning">
          Some arguments are not valid.{" "}
          <RouteLink to={{ area: "tools", id: tool.key, tab: "call" }}>Correct them</RouteLink> first.
        </Note>
      )}
      {comparison === undefined ? (
        <EmptyState title="See the exact messages" icon="wire" actions={button}>
          <p>
            The page calls the tool with the arguments of the Call tab, once in each era that the server
            supports, and shows messages, headers, and checks side by side.
          </p>
        </EmptyState>
      ) : (
        <>
          <div class="p-call__buttons">{button}</div>
          <WireComparison comparison={comparison} />
        </>
      )}
    </div>
  );
}
