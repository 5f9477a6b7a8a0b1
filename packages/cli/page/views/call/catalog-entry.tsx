/**
 * @fileoverview Frames that prompts and resources share: the list, the selected entry, its call, and the result.
 * @module cli/page-app/views/call/catalog-entry
 */
import { List } from "@tenon/ui/components/collections/list.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import type { IconName } from "@tenon/ui/icons/shapes.js";
import { setterOf } from "@tenon/ui/support/events.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Commands } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import type { CatalogItem } from "../../state/catalog/definitions.js";
import { searchSetting } from "../../state/settings.js";
import { matchesQuery, toLabel } from "../../state/text.js";
import { CallOutcomeView } from "./outcome.js";
import { CallSummaryLine } from "../../components/badges.js";
import { showCall, type ShownCall, shownKey, useCall, useSetting } from "../../components/hooks.js";
import {
  AreaSplit,
  DetailHeader,
  type DetailHeaderProps,
  JsonDetails,
  ListSearch,
  Section,
} from "../../components/list-pane.js";

/** Properties of `CatalogArea`. */
export interface CatalogAreaProps<Item extends CatalogItem> {
  /** Name of one entry. */
  readonly noun: "prompt" | "resource";
  /** Name of the list. */
  readonly label: string;
  readonly items: readonly Item[];
  readonly renderItem: (item: Item) => ComponentChildren;
  /** Renders the selected entry. It is absent if the list does not contain it. */
  readonly renderDetail: (item: Item | undefined) => ComponentChildren;
}

/** List of entries with a search, and the selected entry, which is the first one at first. */
export function CatalogArea<Item extends CatalogItem>(props: CatalogAreaProps<Item>) {
  const { id } = useApp().router.route.value;
  const selected = id === undefined ? props.items[0] : props.items.find(({ key }) => key === id);
  return (
    <AreaSplit
      area={`${props.noun}s`}
      list={<CatalogList {...props} selected={selected?.key} />}
      detail={props.renderDetail(selected)}
    />
  );
}

interface CatalogListProps<Item extends CatalogItem> extends CatalogAreaProps<Item> {
  readonly selected: string | undefined;
}

function CatalogList<Item extends CatalogItem>(props: CatalogListProps<Item>) {
  const { noun, items } = props;
  const { router } = useApp();
  const area = `${noun}s` as const;
  const query = useSetting(searchSetting(area));
  const shown = useMemo(
    () => items.filter(({ searchText }) => matchesQuery(searchText, query.value.trim())),
    [items, query.value],
  );
  return (
    <div class="p-list">
      <ListSearch
        noun={area}
        value={query.value}
        onInput={setterOf(query)}
        status={query.value === "" ? undefined : `${formatQuantity(shown.length, noun)} found`}
      />
      <List
        label={props.label}
        class="p-list__rows"
        items={shown}
        keyOf={({ key }) => key}
        textOf={({ label }) => label}
        rowHeight={44}
        selectedKey={props.selected}
        onSelect={({ key }) => router.go({ area, id: key })}
        renderItem={props.renderItem}
        empty={<EmptyState title={`No ${noun} matches`} icon="search" />}
      />
    </div>
  );
}

/** Properties of `EntryDetail`. */
export interface EntryDetailProps extends DetailHeaderProps {
  /** Absent if the server does not list the entry. */
  readonly item: CatalogItem | undefined;
  /** URI of the entry, with controls. */
  readonly uri?: ComponentChildren;
  /** Controls at the end of the heading. */
  readonly controls?: ComponentChildren;
}

/** Selected entry: its heading, its content, and its definition. */
export function EntryDetail({ item, uri, controls, children, ...header }: EntryDetailProps) {
  return (
    <div class="p-detail">
      <DetailHeader {...header}>
        {uri !== undefined && <p class="p-uri">{uri}</p>}
        {item !== undefined && item.description !== "" && (
          <p class="p-description">{toLabel(item.description, 1_000)}</p>
        )}
        {controls}
      </DetailHeader>
      <div class="p-detail__body">
        {children}
        {item !== undefined && (
          <JsonDetails title="Definition as JSON" label="Definition" value={item.definition} />
        )}
      </div>
    </div>
  );
}

/** Call of an entry. */
export interface EntryCall {
  readonly shown: ShownCall;
  /** True while the call starts. */
  readonly isStarting: boolean;
  readonly start: <Name extends "prompt" | "read">(name: Name, params: Commands[Name][0]) => Promise<void>;
}

/** Returns the last call of an entry, and a function that starts another one. */
export function useEntryCall(area: "prompts" | "resources", key: string): EntryCall {
  const app = useApp();
  const [isStarting, setIsStarting] = useState(false);
  const shown = useCall(app.shownCalls.value.get(shownKey(area, key)));
  return {
    shown,
    isStarting,
    async start(name, params) {
      setIsStarting(true);
      const started = await app.attempt(name, params);
      setIsStarting(false);
      if (started !== undefined) showCall(app, shownKey(area, key), started.id);
    },
  };
}

/** Properties of `EntryResult`. */
export interface EntryResultProps {
  readonly shown: ShownCall;
  readonly title: string;
  readonly icon: IconName;
  /** Title before the first call. */
  readonly emptyTitle: string;
  /** Explanation before the first call. */
  readonly emptyText: string;
}

/** Result of an entry's call, with a link to the call. */
export function EntryResult({ shown, title, icon, emptyTitle, emptyText }: EntryResultProps) {
  const { summary } = shown;
  if (summary === undefined) {
    return (
      <EmptyState title={emptyTitle} icon={icon}>
        <p>{emptyText}</p>
      </EmptyState>
    );
  }
  return (
    <Section title={title} actions={<CallSummaryLine call={summary} />}>
      <CallOutcomeView {...shown} />
    </Section>
  );
}
