/**
 * @fileoverview JSON tree: rows of names and values that expand on demand.
 * @module ui/json/json-tree
 */
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { Rows } from "../components/collections/rows.js";
import { treeActionOf, treeAttributes } from "../components/collections/tree-rows.js";
import { copyText } from "../support/browser.js";
import { browserTimer } from "../support/timer.js";
import { JsonRowView, LONG_STRING_HEIGHT } from "./json-row-view.js";
import { initialExpansion, type JsonRow, jsonRows, pathOfRow } from "./json-rows.js";
import type { JsonMatches } from "./json-search.js";
import { isLongString, showPath, toJsonText } from "./json-value.js";

/** Properties of `JsonTree`. */
export interface JsonTreeProps {
  readonly label: string;
  readonly value: unknown;
  /** Text that is highlighted. */
  readonly query?: string | undefined;
  /** Matches of the query. Their ancestors are expanded. */
  readonly matches?: JsonMatches | undefined;
  /** Key of the match that is shown. */
  readonly currentMatch?: string | undefined;
}

const ROW_HEIGHT = 22;
const MAX_INITIAL_ROWS = 200;
const INITIAL_LEVELS = 2;

/** Tree of a JSON document. Only visible rows are rendered, so documents with 100,000 values stay fast. */
export function JsonTree({ label, value, matches, currentMatch, ...props }: JsonTreeProps) {
  const helpId = useId();
  const tree = useTreeState(value, matches);
  const [activeKey, setActiveKey] = useState("");
  const { rows } = tree;
  const { copy, message } = useCopy(rows);
  useEffect(() => {
    if (currentMatch !== undefined) setActiveKey(currentMatch);
  }, [currentMatch]);
  return (
    <div class="t-json">
      <Rows
        kind="tree"
        label={label}
        rows={rows}
        rowHeight={ROW_HEIGHT}
        tallRows={tree.tallRows}
        keyOf={(row) => row.key}
        activeIndex={rows.findIndex((row) => row.key === activeKey)}
        onActiveChange={(index) => setActiveKey(rows[index]?.key ?? "")}
        onActivate={(row) => tree.toggle(row)}
        onKey={(event, row, index) => {
          const action = treeActionOf(event.key, row, index);
          if (action?.type === "move") setActiveKey(rows[action.index]?.key ?? "");
          else if (action !== undefined) tree.toggle(row);
          else if (event.key.toLowerCase() === "c") void copy("value", index);
          else if (event.key.toLowerCase() === "p") void copy("path", index);
          else return false;
          return true;
        }}
        attributesOf={(row) => ({ ...treeAttributes(row), class: "t-json__row" })}
        renderRow={(row, index) => (
          <JsonRowView
            row={row}
            query={props.query ?? ""}
            isShownInFull={tree.isShownInFull(row.key)}
            isCurrentMatch={row.key === currentMatch}
            onShowAll={() => tree.toggle(row)}
            onCopy={(kind) => void copy(kind, index)}
          />
        )}
        describedBy={helpId}
      />
      <span id={helpId} class="t-hidden">
        Press C to copy the value, or P to copy the path.
      </span>
      <span class="t-json__status" role="status">
        {message}
      </span>
    </div>
  );
}

/** Expanded values and strings that are shown in full. Starts anew for another document. */
function useTreeState(value: unknown, matches: JsonMatches | undefined) {
  const initial = useMemo(
    () => ({
      value,
      toggled: new Map<string, boolean>(),
      expanded: initialExpansion(value, { levels: INITIAL_LEVELS, maxRows: MAX_INITIAL_ROWS }),
    }),
    [value],
  );
  const [state, setState] = useState(initial);
  const current = state.value === value ? state : initial;
  // A new search also shows matches inside values that the user has collapsed before.
  useEffect(() => {
    const hidden = [...current.toggled].filter(([key, isOpen]) => !isOpen && matches?.ancestors.has(key));
    if (hidden.length === 0) return;
    const toggled = new Map(current.toggled);
    for (const [key] of hidden) toggled.delete(key);
    setState({ ...current, toggled });
  }, [matches]);
  const isOpen = (key: string) =>
    current.toggled.get(key) ?? (current.expanded.has(key) || matches?.ancestors.has(key) === true);
  const rows = useMemo(() => jsonRows(value, isOpen), [current, matches, value]);
  const tallRows = useMemo(
    () =>
      rows.flatMap((row, index) =>
        isLongString(row.value) && current.toggled.get(row.key) === true
          ? [{ index, extra: LONG_STRING_HEIGHT }]
          : [],
      ),
    [rows],
  );
  return {
    rows,
    tallRows,
    isShownInFull: (key: string) => current.toggled.get(key) === true,
    toggle(row: JsonRow) {
      if (row.isExpanded === undefined && !isLongString(row.value)) return;
      const isNowOpen = row.isExpanded ?? current.toggled.get(row.key) === true;
      setState({ ...current, toggled: new Map(current.toggled).set(row.key, !isNowOpen) });
    },
  };
}

const CONFIRMATION_MS = 2_000;

/** Copies values and paths of rows, and confirms it for two seconds. */
function useCopy(rows: readonly JsonRow[]) {
  const [message, setMessage] = useState("");
  useEffect(() => browserTimer.after(CONFIRMATION_MS, () => setMessage("")), [message]);
  const copy = async (kind: "value" | "path", index: number) => {
    const row = rows[index];
    if (row === undefined) return;
    const text = kind === "path" ? showPath(pathOfRow(rows, index)) : copiedText(row);
    const name = kind === "path" ? "Path" : "Value";
    setMessage((await copyText(text)) ? `${name} copied` : `Could not copy the ${kind}`);
  };
  return { copy, message };
}

/** Returns the text that is copied: a string as it is, and other values as JSON. */
function copiedText({ value }: JsonRow): string {
  return typeof value === "string" ? value : toJsonText(value);
}
