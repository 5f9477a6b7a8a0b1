/**
 * @fileoverview Actions on all calls: export, replay, clear, and the filters of the list.
 * @module cli/page-app/views/calls/call-toolbar
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import { Button } from "@tenon/ui/components/controls/button.js";
import { Menu, type MenuItem } from "@tenon/ui/components/navigation/menu.js";
import { Dialog } from "@tenon/ui/components/overlay/dialog.js";
import { formatBytes, formatQuantity } from "@tenon/ui/support/format.js";
import { useMemo, useRef, useState } from "preact/hooks";
import type { CallSummary, Recording } from "../../../src/page/protocol.js";
import { type App, useApp } from "../../app-context.js";
import { exportCalls, MAX_RECORDING_FILE } from "../call/call-actions.js";
import { Select } from "@tenon/ui/components/fields/select.js";
import { useSetting } from "../../components/hooks.js";
import { ListSearch } from "../../components/list-pane.js";
import {
  CALL_FILTER,
  type CallFilter,
  choicesOf,
  isFiltering,
  NO_FILTER,
  OUTCOMES,
} from "../../state/calls/call-filter.js";
import { ERA_LABELS, OUTCOME_FACTS } from "../../state/calls/call-facts.js";
import { oneOf } from "../../state/settings.js";
import { toLabel } from "../../state/text.js";

/** Properties of `CallToolbar`. */
export interface CallToolbarProps {
  /** Calls that the filter accepts. */
  readonly shown: readonly CallSummary[];
}

/** Buttons above the list of calls. */
export function CallToolbar({ shown }: CallToolbarProps) {
  const app = useApp();
  const [isClearing, setIsClearing] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const { size } = app.store.calls.value;
  const exportable = shown.filter(({ isRepeatable, outcome }) => isRepeatable && outcome !== "running");
  const items: readonly MenuItem[] = [
    {
      id: "shown",
      label: `Export ${formatQuantity(exportable.length, "shown call")}`,
      icon: "download",
      isDisabled: exportable.length === 0,
      onSelect: () => void exportCalls(app, exportable.map(({ id }) => id).toReversed()),
    },
    { id: "all", label: "Export all calls", icon: "download", onSelect: () => void exportCalls(app) },
  ];
  return (
    <div class="p-toolbar">
      {size > 0 && <Menu label="Export" icon="download" hasText items={items} />}
      <input
        ref={file}
        type="file"
        class="t-hidden"
        accept="application/json,.json"
        aria-label="Recording to replay"
        tabIndex={-1}
        onChange={(event) => {
          const chosen = event.currentTarget.files?.[0];
          if (chosen !== undefined) void replay(app, chosen);
          event.currentTarget.value = "";
        }}
      />
      <Button icon="repeat" onClick={() => file.current?.click()}>
        Replay a file
      </Button>
      {size > 0 && (
        <Button icon="trash" onClick={() => setIsClearing(true)}>
          Clear
        </Button>
      )}
      <ClearDialog isOpen={isClearing} onClose={() => setIsClearing(false)} />
    </div>
  );
}

function ClearDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const { attempt, router } = useApp();
  const clear = async () => {
    onClose();
    if ((await attempt("clear-calls", {})) !== undefined) router.replace({ area: "calls" });
  };
  return (
    <Dialog
      title="Clear the calls?"
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep them</Button>
          <Button tone="danger" icon="trash" onClick={() => void clear()}>
            Clear
          </Button>
        </>
      }
    >
      <p>
        All calls that have ended are removed, with their messages. Export them first if you need them later.
      </p>
    </Dialog>
  );
}

/** Reads a recording, and makes its calls again. */
async function replay({ attempt, toasts }: App, file: File): Promise<void> {
  const fail = (text: string) => void toasts.show({ tone: "danger", text });
  if (file.size > MAX_RECORDING_FILE)
    return fail(
      `The file is too large: ${formatBytes(file.size)} (limit: ${formatBytes(MAX_RECORDING_FILE)}).`,
    );
  const value = readJson(await file.text().catch(() => ""));
  if (!isJsonObject(value) || value["format"] !== "tenon-recording")
    return fail("The file is not a recording. Choose a file that this page has exported.");
  // Safe: the backend checks the recording.
  await attempt("replay", { recording: value as unknown as Recording });
}

/** Search field and selects for the list of calls. */
export function CallFilters() {
  const calls = useApp().store.calls.value;
  const filter = useSetting(CALL_FILTER);
  const { clients, methods } = useMemo(() => choicesOf(calls.values()), [calls]);
  const current = filter.value;
  const change = (part: Partial<CallFilter>) => {
    filter.value = { ...current, ...part };
  };
  return (
    <div class="p-filters">
      <ListSearch noun="calls" value={current.text} onInput={(text) => change({ text })}>
        {isFiltering(current) && (
          <Button tone="quiet" onClick={() => change(NO_FILTER)}>
            Clear
          </Button>
        )}
      </ListSearch>
      <div class="p-filters__row">
        <Choice
          label="Client"
          all="Any client"
          value={current.client}
          options={[...clients].map(([value, name]) => ({ value, label: toLabel(name, 60) }))}
          onChange={(client) => change({ client })}
        />
        <Choice
          label="Method"
          all="Any method"
          value={current.method}
          options={methods.map((value) => ({ value, label: toLabel(value, 60) }))}
          onChange={(method) => change({ method })}
        />
        <Choice
          label="Outcome"
          all="Any result"
          value={current.outcome}
          options={OUTCOMES.map((value) => ({ value, label: OUTCOME_FACTS[value].label }))}
          onChange={(value) => change({ outcome: oneOf(value, OUTCOMES) ?? "" })}
        />
        <Choice
          label="Era"
          all="Both eras"
          value={current.era}
          options={(["modern", "legacy"] as const).map((value) => ({ value, label: ERA_LABELS[value] }))}
          onChange={(value) => change({ era: oneOf(value, ["modern", "legacy"] as const) ?? "" })}
        />
      </div>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** Label of the option that accepts everything. */
  readonly all: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, all, value, options, onChange }: ChoiceProps) {
  // A client that has left is still the filter, so it stays an option.
  const isKnown = value === "" || options.some((option) => option.value === value);
  const shown = isKnown
    ? options
    : [...options, { value, label: toLabel(value.replace(/^client:/, ""), 60) }];
  return (
    <Select
      label={label}
      isLabelHidden
      value={value}
      options={[{ value: "", label: all }, ...shown]}
      onChange={onChange}
    />
  );
}
