/**
 * @fileoverview Frames that the areas share: a list on the left with its search field, and the selected entry with its sections on the right.
 * @module cli/page-app/components/list-pane
 */
import { Button } from "@tenon/ui/components/controls/button.js";
import { setterOf } from "@tenon/ui/support/events.js";
import { CodeBlock } from "@tenon/ui/components/data/code-block.js";
import { SearchField } from "@tenon/ui/components/fields/search-field.js";
import { SplitPane } from "@tenon/ui/components/layout/split-pane.js";
import type { ComponentChildren } from "preact";
import { useApp } from "../app-context.js";
import type { Area } from "../routes/route.js";
import { splitSetting } from "../state/settings.js";
import { useSearchShortcut, useSetting } from "./hooks.js";
import { JsonView } from "@tenon/ui/json/json-view.js";

/** Properties of `AreaSplit`. */
export interface AreaSplitProps {
  readonly area: Area;
  readonly list: ComponentChildren;
  readonly detail: ComponentChildren;
  /** Width of the list before the user has changed it. @default 320 */
  readonly size?: number | undefined;
}

/** List and selected entry. On narrow screens, the entry replaces the list, and a button goes back. */
export function AreaSplit({ area, list, detail, size = 320 }: AreaSplitProps) {
  const { router } = useApp();
  const width = useSetting(splitSetting(area, size));
  const isSelected = router.route.value.id !== undefined;
  return (
    <SplitPane
      label={`Resize the list of ${area}`}
      size={width.value}
      initialSize={size}
      narrow={isSelected ? "second" : "first"}
      onResize={setterOf(width)}
      first={list}
      second={
        <>
          <div class="p-back">
            <Button icon="chevron-left" tone="quiet" onClick={() => router.go({ area })}>
              All {area}
            </Button>
          </div>
          {detail}
        </>
      }
    />
  );
}

/** Properties of `ListSearch`. */
export interface ListSearchProps {
  /** Noun of the list, such as "tools". */
  readonly noun: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Number of entries that match, as a sentence. */
  readonly status?: string | undefined;
  /** Controls after the field. */
  readonly children?: ComponentChildren;
}

/** Search field of a list. The key `/` focuses it. */
export function ListSearch({ noun, value, onInput, status, children }: ListSearchProps) {
  const box = useSearchShortcut(`Search ${noun}`);
  return (
    <div class="p-list-search" ref={box}>
      <SearchField label={`Search ${noun}`} value={value} onInput={onInput} status={status} />
      {children}
    </div>
  );
}

/** Properties of `DetailHeader`. */
export interface DetailHeaderProps {
  readonly title: string;
  /** Name below the title, as data. */
  readonly subtitle?: string | undefined;
  readonly badges?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Heading of the selected entry. */
export function DetailHeader({ title, subtitle, badges, children }: DetailHeaderProps) {
  return (
    <header class="p-detail-header">
      <div class="p-detail-header__row">
        <h2 class="p-detail-header__title">{title}</h2>
        {subtitle !== undefined && <code class="p-detail-header__name">{subtitle}</code>}
        {badges !== undefined && <span class="p-badges">{badges}</span>}
      </div>
      {children}
    </header>
  );
}

/** Properties of `Section`. */
export interface SectionProps {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Part of a view with a heading. */
export function Section({ title, actions, children }: SectionProps) {
  return (
    <div class="p-section">
      <div class="p-section__head">
        <h3 class="p-section__title">{title}</h3>
        {actions}
      </div>
      {children}
    </div>
  );
}

/** Properties of `TextSection`. */
export interface TextSectionProps {
  readonly title: string;
  readonly text: string;
  /** Note for an empty text. */
  readonly empty: string;
  readonly isWrapped?: boolean;
}

/** Section with a text that can be copied, or with a note if there is none. */
export function TextSection({ title, text, empty, isWrapped = false }: TextSectionProps) {
  return (
    <Section title={title}>
      {text === "" ? (
        <p class="t-quiet">{empty}</p>
      ) : (
        <CodeBlock text={text} label={title} isWrapped={isWrapped} />
      )}
    </Section>
  );
}

/** Properties of `JsonDetails`. */
interface JsonDetailsProps {
  /** Visible title, such as "Definition as JSON". */
  readonly title: string;
  /** Name of the tree for screen readers. */
  readonly label: string;
  readonly value: unknown;
}

/** JSON below a title. A click on the title shows it. */
export function JsonDetails({ title, label, value }: JsonDetailsProps) {
  return (
    <details class="p-details">
      <summary>{title}</summary>
      <JsonView label={label} value={value} />
    </details>
  );
}
