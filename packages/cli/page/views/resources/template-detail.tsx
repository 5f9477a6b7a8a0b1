/**
 * @fileoverview Selected resource template: fields for its variables, and the resource that they name.
 * @module cli/page-app/views/resources/template-detail
 */
import { Badge } from "@tenon/ui/components/controls/badge.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { CopyButton } from "@tenon/ui/components/controls/copy-button.js";
import { insteadOfDefault } from "@tenon/ui/support/events.js";
import { useMemo } from "preact/hooks";
import { ArgumentFields, useArguments } from "../../components/argument-fields.js";
import { ChangeBadge } from "../../components/badges.js";
import { EntryDetail } from "../call/catalog-entry.js";
import { RouteLink } from "../../components/links.js";
import { Section } from "../../components/list-pane.js";
import type { ResourceItem } from "../../state/catalog/definitions.js";
import { expandTemplate, templateVariables } from "../../state/catalog/expand-template.js";
import { toLabel } from "../../state/text.js";
import { ReadingResult, type ResourceReading, useReading } from "./use-resource.js";

/** Selected resource template. */
export function TemplateDetail({ item }: { readonly item: ResourceItem }) {
  const reading = useReading(item.key);
  return (
    <EntryDetail
      item={item}
      title={item.label}
      badges={
        <>
          <Badge icon="branch">Template</Badge>
          {item.mediaType !== undefined && <Badge>{toLabel(item.mediaType, 60)}</Badge>}
          <ChangeBadge change={item.change} />
        </>
      }
      uri={<code class="p-wrap">{toLabel(item.uri, 2_000)}</code>}
    >
      <VariableForm item={item} reading={reading} />
      <ReadingResult shown={reading.shown} />
    </EntryDetail>
  );
}

interface VariableFormProps {
  readonly item: ResourceItem;
  readonly reading: ResourceReading;
}

/** Fields for the variables, and the URI that they result in. */
function VariableForm({ item, reading }: VariableFormProps) {
  const variables = useMemo(
    () => templateVariables(item.uri).map((name) => ({ name, isRequired: !isOptional(item.uri, name) })),
    [item.uri],
  );
  const { values, attempt, isComplete, ...fields } = useArguments(`template:${item.key}`, variables);
  const uri = expandTemplate(item.uri, values);
  return (
    <form
      aria-label={`Read ${item.label}`}
      onSubmit={insteadOfDefault(() => attempt(() => reading.read(uri)))}
    >
      <Section title="Variables">
        <ArgumentFields {...fields} reference={{ type: "resource", uri: item.uri }} />
        <p class="p-uri">
          <span class="t-quiet">URI</span> <code class="p-wrap">{toLabel(uri, 2_000)}</code>{" "}
          <CopyButton text={uri} label="Copy the URI" />
        </p>
        <div class="p-call__buttons">
          <Button tone="primary" icon="play" type="submit" isBusy={reading.isStarting}>
            Read
          </Button>
          {isComplete && (
            <RouteLink to={{ area: "resources", id: uri }}>Open as a resource, to subscribe</RouteLink>
          )}
        </div>
      </Section>
    </form>
  );
}

/** Returns true if a variable belongs to a query, which may be left out. */
function isOptional(template: string, name: string): boolean {
  return [...template.matchAll(/\{[?&]([^{}]*)\}/g)].some(([, list = ""]) =>
    list.split(",").some((one) => one.replace(/[:*].*$/, "").trim() === name),
  );
}
