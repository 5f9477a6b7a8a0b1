/**
 * @fileoverview Filters of the log, and the level of the server's messages.
 * @module cli/page-app/views/log/log-toolbar
 */
import { Button } from "@tenon/ui/components/controls/button.js";
import { Switch } from "@tenon/ui/components/fields/checkbox.js";
import { Select } from "@tenon/ui/components/fields/select.js";
import { saveFile } from "@tenon/ui/support/browser.js";
import { formatCount, formatQuantity } from "@tenon/ui/support/format.js";
import type { LogEntry } from "../../../src/page/protocol.js";
import { LOG_LEVELS } from "tenon/protocol";
import { useApp } from "../../app-context.js";
import { useSetting } from "../../components/hooks.js";
import { ListSearch } from "../../components/list-pane.js";
import { LOG_FILTER, LOG_SOURCES, SERVER_LEVEL, toLogText } from "../../state/log-filter.js";
import { oneOf } from "../../state/settings.js";

/** Properties of `LogToolbar`. */
export interface LogToolbarProps {
  readonly shown: readonly LogEntry[];
  readonly total: number;
  readonly isFollowing: boolean;
  readonly onFollow: (isFollowing: boolean) => void;
}

const SOURCES = ["output", "server", "command"] as const;

/** Filters of the log. */
export function LogToolbar({ shown, total, isFollowing, onFollow }: LogToolbarProps) {
  const filter = useSetting(LOG_FILTER);
  const current = filter.value;
  return (
    <div class="p-log__bar">
      <ListSearch
        noun="the log"
        value={current.text}
        onInput={(text) => {
          filter.value = { ...current, text };
        }}
      />
      <Select
        label="Least severe level"
        isLabelHidden
        value={current.level}
        options={LOG_LEVELS.map((level) => ({
          value: level,
          label: level === "debug" ? "All levels" : `${level} or worse`,
        }))}
        onChange={(value) => {
          filter.value = { ...current, level: oneOf(value, LOG_LEVELS) ?? "debug" };
        }}
      />
      <Select
        label="Source"
        isLabelHidden
        value={current.source}
        options={[
          { value: "", label: "All sources" },
          ...SOURCES.map((value) => ({ value, label: LOG_SOURCES[value] })),
        ]}
        onChange={(value) => {
          filter.value = { ...current, source: oneOf(value, SOURCES) ?? "" };
        }}
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
