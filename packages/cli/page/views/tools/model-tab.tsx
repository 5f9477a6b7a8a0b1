/**
 * @fileoverview Tab with the definition of a tool as a model gets it, and what a model gets back from it.
 * @module cli/page-app/views/tools/model-tab
 */
import { Badge, Note } from "@tenon/ui/components/controls/badge.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { CodeBlock } from "@tenon/ui/components/data/code-block.js";
import { KeyValueList } from "@tenon/ui/components/data/key-value.js";
import { ContentView } from "@tenon/ui/content/content-view.js";
import { StructuredContent } from "@tenon/ui/content/structured-content.js";
import { toJsonText } from "@tenon/ui/json/json-value.js";
import { formatCount, formatQuantity } from "@tenon/ui/support/format.js";
import { useMemo } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { useCall } from "../../components/hooks.js";
import { RouteLink } from "../../components/links.js";
import { Section, TextSection } from "../../components/list-pane.js";
import { findLastCall } from "../../state/calls/call-facts.js";
import { hasHiddenText, toLabel } from "../../state/text.js";
import { annotationsOf } from "../../state/tools/tool-facts.js";
import { FindingList } from "../../components/badges.js";
import type { ToolProps } from "./use-tool-call.js";

/** Tab with the definition of a tool as a model gets it. */
export function ModelTab({ tool }: ToolProps) {
  const { definition, description } = tool;
  const schemaText = useMemo(() => toJsonText(definition["inputSchema"]), [definition]);
  const outputText = useMemo(() => toJsonText(definition["outputSchema"]), [definition]);
  const definitionText = useMemo(() => toJsonText(definition), [definition]);
  return (
    <div class="p-model">
      {hasHiddenText(definitionText) && (
        <Note tone="warning">
          The definition contains invisible characters. A model reads them, and you do not see them.
        </Note>
      )}
      <Section title="Findings of tenon doctor">
        <FindingList findings={tool.findings} />
      </Section>
      <Costs tool={tool} />
      <TextSection title="Description" text={description} empty="No description" isWrapped />
      <TextSection title="Input schema" text={schemaText} empty="No schema" />
      {outputText !== "" && <TextSection title="Output schema" text={outputText} empty="" />}
      <Annotations tool={tool} />
      <LastResult tool={tool} />
      <details class="p-details">
        <summary>Whole definition as JSON</summary>
        <CodeBlock text={definitionText} label="Definition" />
      </details>
    </div>
  );
}

/** Tokens of the tool in each view that contains it. */
function Costs({ tool }: ToolProps) {
  const { server, launch } = useApp().store;
  const views = server.value?.views ?? [];
  const missing = launch.value?.countsTokens === false ? "Not counted (`--no-tokens`)" : "Not counted yet";
  const entries = views.flatMap((view) => {
    const tokens = Object.hasOwn(view.tools, tool.name) ? view.tools[tool.name] : undefined;
    if (tokens === undefined) return [];
    const share = view.tokens === undefined || view.tokens === 0 ? "" : ` of ${formatCount(view.tokens)}`;
    return [{ name: `View "${toLabel(view.title, 60)}"`, value: `${formatCount(tokens)}${share} tokens` }];
  });
  return (
    <Section title="Tokens">
      {entries.length === 0 ? (
        <p class="t-quiet">{tool.tokens === undefined ? missing : formatQuantity(tool.tokens, "token")}</p>
      ) : (
        <KeyValueList entries={entries} />
      )}
    </Section>
  );
}

function Annotations({ tool }: ToolProps) {
  const facts = annotationsOf(tool.definition);
  return (
    <Section title="Annotations">
      {facts.length === 0 ? (
        <p class="t-quiet">No annotations. Clients assume that the tool changes data.</p>
      ) : (
        <ul class="p-annotations">
          {facts.map(({ name, label, meaning, tone }) => (
            <li key={name}>
              <Badge tone={tone}>{label}</Badge> <span class="t-quiet">{meaning}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** `content` and `structuredContent` of the last result, side by side. */
function LastResult({ tool }: ToolProps) {
  const { store } = useApp();
  const last = findLastCall(
    store.calls.value,
    ({ method, name, outcome }) =>
      method === "tools/call" && name === tool.name && (outcome === "ok" || outcome === "tool-error"),
  );
  const { detail } = useCall(last?.id);
  if (last === undefined) {
    return (
      <Section title="Last result">
        <p class="t-quiet">
          <RouteLink to={{ area: "tools", id: tool.key, tab: "call" }}>Call the tool</RouteLink> to see what a
          model gets back.
        </p>
      </Section>
    );
  }
  return (
    <Section
      title="Last result"
      actions={<RouteLink to={{ area: "calls", id: last.id }}>Open the call</RouteLink>}
    >
      <p class="t-quiet">
        Some clients give the model `content`, and others `structuredContent`. Both must contain the same
        information.
      </p>
      {detail?.result === undefined ? (
        <Spinner label="Loading" />
      ) : (
        <div class="p-compare">
          <section class="p-compare__column" aria-label="content">
            <h4 class="t-mono">content</h4>
            <ContentView content={detail.result["content"]} />
          </section>
          <section class="p-compare__column" aria-label="structuredContent">
            <h4 class="t-mono">structuredContent</h4>
            {detail.result["structuredContent"] === undefined ? (
              <p class="t-quiet">The result has no structured content.</p>
            ) : (
              <StructuredContent value={detail.result["structuredContent"]} />
            )}
          </section>
        </div>
      )}
    </Section>
  );
}
