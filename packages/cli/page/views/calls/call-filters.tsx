/**
 * @fileoverview Filters of the list of calls.
 * @module cli/page-app/views/calls/call-filters
 */
import { Button } from "@tenon/ui/components/controls/button.js";
import { Select } from "@tenon/ui/components/fields/select.js";
import { useMemo } from "preact/hooks";
import { useApp } from "../../app-context.js";
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
