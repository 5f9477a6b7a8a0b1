/**
 * @fileoverview Row of a JSON tree.
 * @module ui/json/json-row-view
 */
import { IconButton } from "../components/controls/button.js";
import { withoutBubbling } from "../support/events.js";
import { Indent } from "../components/collections/tree.js";
import { formatCount } from "../support/format.js";
import { splitMatches } from "../support/highlight.js";
import type { JsonRow } from "./json-rows.js";
import { isLongString, summaryOf } from "./json-value.js";

/** Properties of `JsonRowView`. */
export interface JsonRowViewProps {
  readonly row: JsonRow;
  readonly query: string;
  readonly isShownInFull: boolean;
  readonly isCurrentMatch: boolean;
  readonly onShowAll: () => void;
  readonly onCopy: (kind: "value" | "path") => void;
}

/** Height of the box with a long string, in pixels. */
export const LONG_STRING_HEIGHT = 180;
/** Characters of a string that are shown in full. The copy button copies the whole string. */
const MAX_FULL = 100_000;

/** Name and value of a row, with buttons that the pointer reveals. Keys do the same. */
export function JsonRowView({
  row,
  query,
  isShownInFull,
  isCurrentMatch,
  onShowAll,
  onCopy,
}: JsonRowViewProps) {
  const isContainer = row.kind === "object" || row.kind === "array";
  return (
    <>
      <div class="t-json__line" data-current={isCurrentMatch}>
        <Indent level={row.level} isExpanded={row.isExpanded} />
        {row.name !== undefined && (
          <span class="t-json__name" data-index={typeof row.name === "number"}>
            <Marked text={String(row.name)} query={query} />
          </span>
        )}
        <span class="t-json__value" data-kind={row.kind}>
          {isContainer ? summaryOf(row.value) : <Marked text={summaryOf(row.value)} query={query} />}
        </span>
        {isLongString(row.value) && (
          <button type="button" class="t-json__more" tabIndex={-1} onClick={withoutBubbling(onShowAll)}>
            {isShownInFull ? "Show less" : `Show all (${formatCount(row.value.length)} characters)`}
          </button>
        )}
        <RowActions onCopy={onCopy} />
      </div>
      {isShownInFull && isLongString(row.value) && (
        <pre
          class="t-json__full"
          tabIndex={0}
          role="group"
          aria-label="Whole text"
          style={{ height: `${LONG_STRING_HEIGHT}px` }}
          onClick={(event) => event.stopPropagation()}
        >
          {row.value.slice(0, MAX_FULL)}
          {row.value.length > MAX_FULL && `… (limit: ${formatCount(MAX_FULL)} characters)`}
        </pre>
      )}
    </>
  );
}

/** Buttons of a row. They are not in the tab order, because keys of the tree do the same. */
function RowActions({ onCopy }: Pick<JsonRowViewProps, "onCopy">) {
  return (
    <span class="t-json__actions">
      {(["value", "path"] as const).map((kind) => (
        <IconButton
          key={kind}
          icon={kind === "value" ? "copy" : "link"}
          label={`Copy ${kind}`}
          tabIndex={-1}
          onClick={withoutBubbling(() => onCopy(kind))}
        />
      ))}
    </span>
  );
}

/** Text with the matches of a query. */
function Marked({ text, query }: { readonly text: string; readonly query: string }) {
  if (query === "") return <>{text}</>;
  return (
    <>
      {splitMatches(text, query).map((part, index) =>
        part.isMatch ? <mark key={index}>{part.text}</mark> : part.text,
      )}
    </>
  );
}
