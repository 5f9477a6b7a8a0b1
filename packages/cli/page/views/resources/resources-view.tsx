/**
 * @fileoverview Area with the resources and resource templates: a list, and the selected entry with its contents.
 * @module cli/page-app/views/resources/resources-view
 */
import { Badge, Note } from "@tenon/ui/components/controls/badge.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { useApp } from "../../app-context.js";
import { ChangeBadge } from "../../components/badges.js";
import { CatalogArea, EntryDetail, EntryResult, useEntryCall } from "../call/catalog-entry.js";
import { Section } from "../../components/list-pane.js";
import type { ResourceItem } from "../../state/catalog/definitions.js";
import { toLabel } from "../../state/text.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { CopyButton } from "@tenon/ui/components/controls/copy-button.js";
import { insteadOfDefault } from "@tenon/ui/support/events.js";
import { useMemo } from "preact/hooks";
import { ArgumentFields, useArguments } from "../../components/argument-fields.js";
import { RouteLink } from "../../components/links.js";
import { expandTemplate, templateVariables } from "../../state/catalog/expand-template.js";
import { Switch } from "@tenon/ui/components/fields/checkbox.js";
import { formatBytes, formatClock } from "@tenon/ui/support/format.js";
import { type ShownCall, shownKey } from "../../components/hooks.js";

/** Area with the resources. */
export function ResourcesView() {
  const { catalog, router } = useApp();
  const items = catalog.resources.value;
  const { id } = router.route.value;
  if (items.length === 0 && id === undefined) {
    return (
      <EmptyState title="The server has no resources" icon="database">
        <p>Resources are data that a client can read, such as files or records.</p>
      </EmptyState>
    );
  }
  return (
    <CatalogArea
      noun="resource"
      label="Resources"
      items={items}
      renderItem={(item) => <ResourceRow item={item} />}
      renderDetail={(item) => <SelectedResource item={item} uri={id} />}
    />
  );
}

/** Shows the selected entry. A URI that is not in the list can come from a link in a result. */
type Selected = Pick<ResourceDetailProps, "item"> & { readonly uri: string | undefined };

function SelectedResource({ item, uri }: Selected) {
  if (item?.kind === "template") return <TemplateDetail key={item.key} item={item} />;
  if (item !== undefined) return <ResourceDetail key={item.key} uri={item.uri} item={item} />;
  return uri === undefined ? null : <ResourceDetail key={uri} uri={uri} item={undefined} />;
}

function ResourceRow({ item }: { readonly item: ResourceItem }) {
  const isUpdated = useIsUpdated(item.uri);
  return (
    <>
      <Icon
        name={item.kind === "template" ? "branch" : "file"}
        label={item.kind === "template" ? "Template" : undefined}
      />
      <span class="p-two-lines">
        <span class="t-row__text">{item.label}</span>
        <span class="t-row__text t-quiet t-mono">{toLabel(item.uri)}</span>
      </span>
      <span class="t-row__end">
        {isUpdated && (
          <Badge tone="info" icon>
            updated
          </Badge>
        )}
        <ChangeBadge change={item.change} />
      </span>
    </>
  );
}

/** Selected resource template. */
function TemplateDetail({ item }: { readonly item: ResourceItem }) {
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

/** Properties of `ResourceDetail`. */
interface ResourceDetailProps {
  readonly uri: string;
  /** Absent if the server does not list the resource. */
  readonly item: ResourceItem | undefined;
}

/** Selected resource. */
function ResourceDetail({ uri, item }: ResourceDetailProps) {
  const reading = useReading(uri);
  const isUpdated = useIsUpdated(uri);
  return (
    <EntryDetail
      item={item}
      title={item?.label ?? toLabel(uri)}
      badges={
        <>
          {item?.mediaType !== undefined && <Badge>{toLabel(item.mediaType, 60)}</Badge>}
          {item?.size !== undefined && <Badge>{formatBytes(item.size)}</Badge>}
          <ChangeBadge change={item?.change} />
        </>
      }
      uri={
        <>
          <code class="p-wrap">{toLabel(uri, 2_000)}</code> <CopyButton text={uri} label="Copy the URI" />
        </>
      }
      controls={
        <>
          {item === undefined && (
            <p class="t-quiet">The server does not list this resource, but it may be readable.</p>
          )}
          <div class="p-call__buttons">
            <Button tone="primary" icon="play" isBusy={reading.isStarting} onClick={() => reading.read(uri)}>
              {reading.shown.summary === undefined ? "Read" : "Read again"}
            </Button>
            <SubscribeSwitch uri={uri} />
          </div>
          {isUpdated && <UpdatedNote uri={uri} />}
        </>
      }
    >
      <ReadingResult shown={reading.shown} />
    </EntryDetail>
  );
}

function SubscribeSwitch({ uri }: { readonly uri: string }) {
  const { catalog, store, attempt } = useApp();
  if (!catalog.hasCapability("resources.subscribe")) return null;
  return (
    <Switch
      label="Tell me about changes"
      isChecked={store.subscriptions.value.includes(uri)}
      onChange={(isOn) => void attempt("subscribe", { uri, isOn })}
    />
  );
}

function UpdatedNote({ uri }: { readonly uri: string }) {
  const at = useApp().store.updates.value.get(uri);
  return (
    <Note tone="info" isLive>
      The resource was updated{at === undefined ? "" : ` at ${formatClock(at).slice(0, 8)}`}. Read it again to
      see the change.
    </Note>
  );
}

/** State of a resource on the page. */
interface ResourceReading {
  readonly shown: ShownCall;
  readonly isStarting: boolean;
  readonly read: (uri: string) => void;
}

/** Reads a resource. The key identifies the entry whose result is shown. */
function useReading(key: string): ResourceReading {
  const { era } = useApp();
  const { shown, isStarting, start } = useEntryCall("resources", key);
  return { shown, isStarting, read: (uri) => void start("read", { uri, era: era.peek() }) };
}

/** Contents of a resource, with a link to the call. */
function ReadingResult({ shown }: Pick<ResourceReading, "shown">) {
  return (
    <EntryResult
      shown={shown}
      title="Contents"
      icon="file"
      emptyTitle="Not read yet"
      emptyText="Read the resource to see its contents."
    />
  );
}

/** Returns true if a resource has changed after it was read. */
function useIsUpdated(uri: string): boolean {
  const { store, shownCalls } = useApp();
  const at = store.updates.value.get(uri);
  if (at === undefined) return false;
  const id = shownCalls.value.get(shownKey("resources", uri));
  const readAt = id === undefined ? 0 : (store.calls.value.get(id)?.at ?? 0);
  return at > readAt;
}
