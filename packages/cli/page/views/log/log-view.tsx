/**
 * @fileoverview Area with the log: output of the code, messages of the server, and notes of the command, with its filters.
 * @module cli/page-app/views/log/log-view
 */
import { Button, IconButton } from "@tenon/ui/components/controls/button.js";
import { CodeBlock } from "@tenon/ui/components/data/code-block.js";
import { KeyValueList } from "@tenon/ui/components/data/key-value.js";
import { EmptyState } from "@tenon/ui/components/layout/empty-state.js";
import { Rows } from "@tenon/ui/components/collections/rows.js";
import { formatClock, formatCount, formatQuantity } from "@tenon/ui/support/format.js";
import { useMemo, useState } from "preact/hooks";
import type { LogEntry } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { useSetting } from "../../components/hooks.js";
import {
  filterLog,
  LOG_FILTER,
  LOG_SOURCES,
  type LogFilter,
  SERVER_LEVEL,
  toLogText,
} from "../../state/log-filter.js";
import { toLabel } from "../../state/text.js";
import { Switch } from "@tenon/ui/components/fields/checkbox.js";
import { Select } from "@tenon/ui/components/fields/select.js";
import { saveFile } from "@tenon/ui/support/browser.js";
import { LOG_LEVELS } from "tenon/protocol";
import { ListSearch } from "../../components/list-pane.js";
import { oneOf } from "../../state/settings.js";

/** Area with the log. */
export function LogView() {
  const { store } = useApp();
  const log = store.log.value;
  const filter = useSetting(LOG_FILTER);
  const shown = useMemo(() => filterLog(log, filter.value), [log, filter.value]);
  const [selectedId, setSelectedId] = useState<number>();
  const [isFollowing, setIsFollowing] = useState(true);
  const selected = selectedId === undefined ? undefined : log.find(({ id }) => id === selectedId);
  return (
    <div class="p-log">
      <h2 class="t-hidden">Log</h2>
      <LogToolbar shown={shown} total={log.length} isFollowing={isFollowing} onFollow={setIsFollowing} />
      {shown.length === 0 ? (
        <NoLines
          isFiltered={log.length > 0}
          onClear={() => {
            filter.value = LOG_FILTER.initial;
          }}
        />
      ) : (
        <LogRows
          entries={shown}
          selectedId={selectedId}
          onSelect={setSelectedId}
          isFollowing={isFollowing}
          onFollow={setIsFollowing}
        />
      )}
      {selected !== undefined && <LogDetail entry={selected} onClose={() => setSelectedId(undefined)} />}
    </div>
  );
}

function NoLines({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  return isFiltered ? (
    <EmptyState
      title="No line matches the filter"
      icon="filter"
      actions={<Button onClick={onClear}>Clear the filter</Button>}
    />
  ) : (
    <EmptyState title="The log is empty" icon="log">
      <p>Output of the code, log messages of the server, and notes of the command appear here.</p>
    </EmptyState>
  );
}

interface LogRowsProps {
  readonly entries: readonly LogEntry[];
  readonly selectedId: number | undefined;
  readonly onSelect: (id: number) => void;
  readonly isFollowing: boolean;
  readonly onFollow: (isFollowing: boolean) => void;
}

const ROW_HEIGHT = 24;

/** Lines of the log. While following, the last line is the active one, so it stays visible. */
function LogRows({ entries, selectedId, onSelect, isFollowing, onFollow }: LogRowsProps) {
  const [activeId, setActiveId] = useState<number>();
  const last = entries.length - 1;
  const active = isFollowing ? last : entries.findIndex(({ id }) => id === activeId);
  const activate = (index: number) => {
    setActiveId(entries[index]?.id);
    onFollow(index === last);
  };
  return (
    <div
      class="p-log__rows"
      onWheel={(event) => event.deltaY < 0 && onFollow(false)}
      onTouchMove={() => onFollow(false)}
    >
      <Rows
        kind="list"
        label="Log"
        rows={entries}
        rowHeight={ROW_HEIGHT}
        keyOf={({ id }) => String(id)}
        activeIndex={active}
        onActiveChange={activate}
        onActivate={({ id }) => onSelect(id)}
        attributesOf={({ id }, index) => ({
          "aria-setsize": entries.length,
          "aria-posinset": index + 1,
          "aria-selected": id === selectedId,
        })}
        renderRow={(entry) => <LogRow entry={entry} />}
      />
    </div>
  );
}

function LogRow({ entry }: { readonly entry: LogEntry }) {
  return (
    <div class="p-log-row" data-level={toneOf(entry)}>
      <span class="p-log-row__time">{formatClock(entry.at)}</span>
      <span class="p-log-row__level">{entry.level}</span>
      <span class="p-log-row__source">{LOG_SOURCES[entry.source]}</span>
      <span class="p-log-row__text">{toLabel(entry.text, 400)}</span>
    </div>
  );
}

function toneOf({ level }: LogEntry): "quiet" | "normal" | "warning" | "danger" {
  if (level === "debug") return "quiet";
  if (level === "info" || level === "notice") return "normal";
  return level === "warning" ? "warning" : "danger";
}

function LogDetail({ entry, onClose }: { readonly entry: LogEntry; readonly onClose: () => void }) {
  return (
    <section class="p-log__detail" aria-label="Selected line">
      <div class="p-section__head">
        <h3 class="p-section__title">Selected line</h3>
        <IconButton icon="close" label="Close the line" onClick={onClose} />
      </div>
      <KeyValueList
        entries={[
          { name: "Time", value: formatClock(entry.at) },
          { name: "Level", value: entry.level },
          {
            name: "Source",
            value:
              entry.logger === undefined
                ? LOG_SOURCES[entry.source]
                : `${LOG_SOURCES[entry.source]}, ${toLabel(entry.logger, 100)}`,
          },
        ]}
      />
      <CodeBlock text={entry.text} label="Text" isWrapped />
    </section>
  );
}

/** Properties of `LogToolbar`. */
interface LogToolbarProps {
  readonly shown: readonly LogEntry[];
  readonly total: number;
  readonly isFollowing: boolean;
  readonly onFollow: (isFollowing: boolean) => void;
}

const SOURCES = ["output", "server", "command"] as const;

/** Filters of the log. */
function LogToolbar({ shown, total, isFollowing, onFollow }: LogToolbarProps) {
  const filter = useSetting(LOG_FILTER);
  const current = filter.value;
  const change = (part: Partial<LogFilter>) => {
    filter.value = { ...current, ...part };
  };
  return (
    <div class="p-log__bar">
      <ListSearch noun="the log" value={current.text} onInput={(text) => change({ text })} />
      <Select
        label="Least severe level"
        isLabelHidden
        value={current.level}
        options={LOG_LEVELS.map((level) => ({
          value: level,
          label: level === "debug" ? "All levels" : `${level} or worse`,
        }))}
        onChange={(value) => change({ level: oneOf(value, LOG_LEVELS) ?? "debug" })}
      />
      <Select
        label="Source"
        isLabelHidden
        value={current.source}
        options={[
          { value: "", label: "All sources" },
          ...SOURCES.map((value) => ({ value, label: LOG_SOURCES[value] })),
        ]}
        onChange={(value) => change({ source: oneOf(value, SOURCES) ?? "" })}
      />
      <ServerLevel />
      <Switch label="Follow" isChecked={isFollowing} onChange={onFollow} />
      <Button
        icon="download"
        tone="quiet"
        isDisabled={shown.length === 0}
        onClick={() => saveFile({ name: "log.txt", content: toLogText(shown) })}
      >
        Save
      </Button>
      <span class="t-quiet" role="status">
        {shown.length === total
          ? formatQuantity(total, "line")
          : `${formatCount(shown.length)} of ${formatQuantity(total, "line")}`}
      </span>
    </div>
  );
}

/** Level from which the server sends log messages. Shown only if the server has a log. */
function ServerLevel() {
  const { catalog, attempt, store } = useApp();
  const setting = useSetting(SERVER_LEVEL);
  const launch = store.launch.value?.id ?? "";
  // The command forgets the level when it ends.
  const level = setting.value.launch === launch ? setting.value.level : SERVER_LEVEL.initial.level;
  if (!catalog.hasCapability("logging")) return null;
  return (
    <Select
      label="Level that the server sends"
      isLabelHidden
      value={level}
      options={LOG_LEVELS.map((value) => ({ value, label: `Server sends ${value}` }))}
      onChange={(value) => {
        const next = oneOf(value, LOG_LEVELS) ?? "info";
        setting.value = { launch, level: next };
        void attempt("log-level", { level: next });
      }}
    />
  );
}
