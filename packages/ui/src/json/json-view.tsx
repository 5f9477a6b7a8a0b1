/**
 * @fileoverview JSON tree with a search field and a copy button.
 * @module ui/json/json-view
 */
import { useMemo, useState } from "preact/hooks";
import { IconButton } from "../components/controls/button.js";
import { CopyButton } from "../components/controls/copy-button.js";
import { SearchField } from "../components/fields/search-field.js";
import { useDebounced } from "../support/use-debounced.js";
import { searchJson } from "./json-search.js";
import { JsonTree } from "./json-tree.js";
import { toJsonText } from "./json-value.js";

/** Properties of `JsonView`. */
export interface JsonViewProps {
  readonly label: string;
  readonly value: unknown;
}

/** JSON document with search. Enter and Shift+Enter go to the next and the previous match. */
export function JsonView({ label, value }: JsonViewProps) {
  const [query, setQuery] = useState("");
  const [position, setPosition] = useState(0);
  const wanted = useDebounced(query.trim());
  const matches = useMemo(() => searchJson(value, wanted), [value, wanted]);
  const count = matches.keys.length;
  const step = (by: number) => {
    if (count > 0) setPosition((position + by + count) % count);
  };
  const status = wanted === "" ? "" : statusOf({ count, position, isCut: matches.isCut });
  return (
    <div class="t-json-view">
      <div class="t-json-view__bar">
        <SearchField
          label={`Search in ${label}`}
          placeholder="Search"
          value={query}
          onInput={(next) => {
            setQuery(next);
            setPosition(0);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            step(event.shiftKey ? -1 : 1);
          }}
        />
        <span class="t-json-view__status" role="status">
          {status}
        </span>
        {count > 1 && (
          <>
            <IconButton icon="chevron-up" label="Previous match" onClick={() => step(-1)} />
            <IconButton icon="chevron-down" label="Next match" onClick={() => step(1)} />
          </>
        )}
        <CopyButton text={() => toJsonText(value)} label="Copy JSON" />
      </div>
      <JsonTree
        label={label}
        value={value}
        query={wanted}
        matches={matches}
        currentMatch={matches.keys[position]}
      />
    </div>
  );
}

function statusOf(found: {
  readonly count: number;
  readonly position: number;
  readonly isCut: boolean;
}): string {
  if (found.count === 0) return found.isCut ? "No matches in the first part" : "No matches";
  return `${found.position + 1} of ${found.count}${found.isCut ? "+" : ""}`;
}
