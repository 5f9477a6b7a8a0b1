/**
 * @fileoverview Selected resource template: fields for its variables, and the resource that they name.
 * @module cli/page-app/views/resources/template-detail
 */
import { Badge } from "@tenon/ui/components/controls/badge.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { CopyButton } from "@tenon/ui/components/controls/copy-button.js";
import { JsonView } from "@tenon/ui/json/json-view.js";
import { useMemo, useState } from "preact/hooks";
import { ArgumentFields, findMissing, useTexts } from "../../components/argument-fields.js";
import { ChangeBadge } from "../../components/badges.js";
import { RouteLink } from "../../components/links.js";
import { DetailHeader, Section } from "../../components/list-pane.js";
import type { ResourceItem } from "../../state/catalog/definitions.js";
import { expandTemplate, templateVariables } from "../../state/catalog/expand-template.js";
import { toLabel } from "../../state/text.js";
import { ReadingResult } from "./reading-result.js";
import { useReading } from "./use-resource.js";

const NONE: ReadonlySet<string> = new Set();

/** Selected resource template. */
export function TemplateDetail({ item }: { readonly item: ResourceItem }) {
  const reading = useReading(item.key);
  return (
    <div class="p-detail">
      <DetailHeader
        title={item.label}
        badges={
          <>
            <Badge icon="branch">Template</Badge>
            {item.mediaType !== undefined && <Badge>{toLabel(item.mediaType, 60)}</Badge>}
            <ChangeBadge change={item.change} />
          </>
        }
      >
        <p class="p-uri">
          <code class="p-wrap">{toLabel(item.uri, 2_000)}</code>
        </p>
        {item.description !== "" && <p class="p-description">{toLabel(item.description, 1_000)}</p>}
      </DetailHeader>
      <div class="p-detail__body">
        <VariableForm item={item} isStarting={reading.isStarting} onRead={reading.read} />
        <ReadingResult shown={reading.shown} />
        <details class="p-details">
          <summary>Definition as JSON</summary>
          <JsonView label="Definition" value={item.definition} />
        </details>
      </div>
    </div>
  );
}

interface VariableFormProps {
  readonly item: ResourceItem;
  readonly isStarting: boolean;
  readonly onRead: (uri: string) => void;
}

/** Fields for the variables, and the URI that they result in. */
function VariableForm({ item, isStarting, onRead }: VariableFormProps) {
  const { texts, setText } = useTexts(`template:${item.key}`);
  const [isTried, setIsTried] = useState(false);
  const fields = useMemo(
    () => templateVariables(item.uri).map((name) => ({ name, isRequired: !isOptional(item.uri, name) })),
    [item.uri],
  );
  const missing = findMissing(fields, texts);
  const uri = expandTemplate(item.uri, texts);
  return (
    <form
      aria-label={`Read ${item.label}`}
      onSubmit={(event) => {
        event.preventDefault();
        setIsTried(true);
        if (missing.size === 0) onRead(uri);
      }}
    >
      <Section title="Variables">
        <ArgumentFields
          fields={fields}
          texts={texts}
          setText={setText}
          reference={{ type: "resource", uri: item.uri }}
          missing={isTried ? missing : NONE}
        />
        <p class="p-uri">
          <span class="t-quiet">URI</span> <code class="p-wrap">{toLabel(uri, 2_000)}</code>{" "}
          <CopyButton text={uri} label="Copy the URI" />
        </p>
        <div class="p-call__buttons">
          <Button tone="primary" icon="play" type="submit" isBusy={isStarting}>
            Read
          </Button>
          {missing.size === 0 && (
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
