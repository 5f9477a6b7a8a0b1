/**
 * @fileoverview Text field with suggestions that the server completes, as the combobox pattern of ARIA describes it.
 * @module cli/page-app/components/combobox
 */
import { Field } from "@tenon/ui/components/fields/field.js";
import { Spinner } from "@tenon/ui/components/controls/spinner.js";
import { useLatest } from "@tenon/ui/support/use-latest.js";
import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { toLabel } from "../state/text.js";

/** Suggestions for a value. */
export interface Suggestions {
  readonly values: readonly string[];
  readonly hasMore: boolean;
}

/** Properties of `Combobox`. */
export interface ComboboxProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly isRequired?: boolean | undefined;
  readonly error?: string | undefined;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Returns the suggestions for a text, or `undefined` if they are not available. */
  readonly complete: (value: string) => Promise<Suggestions | undefined>;
}

const DELAY_MS = 150;

/** Text field with suggestions. The arrow keys select one, Enter accepts it, and Escape closes the list. */
export function Combobox({ label, description, isRequired, error, value, onInput, complete }: ComboboxProps) {
  const id = useId();
  const box = useCombobox({ value, onInput, complete });
  const { isOpen, active, values, isShown } = box;
  return (
    <Field label={label} description={description} isRequired={isRequired} error={error}>
      {(attributes) => (
        <div class="p-combobox">
          <input
            {...attributes}
            class="t-input"
            type="text"
            role="combobox"
            autocomplete="off"
            spellcheck={false}
            aria-autocomplete="list"
            aria-expanded={isShown}
            aria-controls={`${id}-list`}
            aria-activedescendant={isShown && active >= 0 ? `${id}-${active}` : undefined}
            value={value}
            onInput={(event) => box.enter(event.currentTarget.value)}
            onFocus={box.open}
            onBlur={box.close}
            onKeyDown={box.onKeyDown}
          />
          {isOpen && box.isLoading && <Spinner />}
          <SuggestionList
            {...{ id, label, values, active, isShown }}
            select={box.select}
            hasMore={box.hasMore}
          />
          <span class="t-hidden" role="status">
            {isShown ? `${values.length} suggestions` : ""}
          </span>
        </div>
      )}
    </Field>
  );
}

/** State of the list, and the keys that change it. */
function useCombobox({ value, onInput, complete }: Pick<ComboboxProps, "value" | "onInput" | "complete">) {
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const { suggestions, isLoading } = useSuggestions({ value, isOpen, complete });
  const values = suggestions?.values ?? [];
  const isShown = isOpen && values.length > 0;
  const show = (isNowOpen: boolean) => {
    setIsOpen(isNowOpen);
    setActive(-1);
  };
  const select = (text: string) => {
    onInput(text);
    show(false);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const chosen = values[active];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (isOpen) setActive(stepIndex(active, event.key === "ArrowDown" ? 1 : -1, values.length));
      else show(true);
    } else if (event.key === "Enter" && isShown && chosen !== undefined && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      select(chosen);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      show(false);
    }
  };
  const enter = (text: string) => {
    show(true);
    onInput(text);
  };
  const hasMore = suggestions?.hasMore === true;
  return {
    isOpen,
    isShown,
    isLoading,
    active,
    values,
    hasMore,
    select,
    enter,
    onKeyDown,
    open: () => show(true),
    close: () => show(false),
  };
}

interface SuggestionListProps {
  readonly id: string;
  readonly label: string;
  readonly values: readonly string[];
  readonly active: number;
  readonly isShown: boolean;
  readonly hasMore: boolean;
  readonly select: (text: string) => void;
}

function SuggestionList({ id, label, values, active, isShown, hasMore, select }: SuggestionListProps) {
  return (
    <div class="p-combobox__popup" hidden={!isShown}>
      <ul id={`${id}-list`} class="p-combobox__list" role="listbox" aria-label={`Suggestions for ${label}`}>
        {values.map((text, index) => (
          <li
            key={index}
            id={`${id}-${index}`}
            role="option"
            class="p-combobox__option"
            aria-selected={index === active}
            // The field must keep the focus, so that the list does not close before the click.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => select(text)}
          >
            {text === "" ? "(empty)" : toLabel(text)}
          </li>
        ))}
      </ul>
      {hasMore && <p class="p-combobox__more">Type more to see other values.</p>}
    </div>
  );
}

interface SuggestionRequest {
  readonly value: string;
  readonly isOpen: boolean;
  readonly complete: ComboboxProps["complete"];
}

/** Reads suggestions while the list is open. Results for an earlier text are ignored. */
function useSuggestions({ value, isOpen, complete }: SuggestionRequest) {
  const [suggestions, setSuggestions] = useState<Suggestions>();
  const [isLoading, setIsLoading] = useState(false);
  const latest = useLatest(complete);
  useEffect(() => {
    if (!isOpen) return;
    let isCurrent = true;
    setIsLoading(true);
    const load = async () => {
      const found = await latest.current(value);
      if (!isCurrent) return;
      setSuggestions(found);
      setIsLoading(false);
    };
    const timer = setTimeout(() => void load(), DELAY_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [value, isOpen]);
  return { suggestions, isLoading };
}

function stepIndex(index: number, step: number, count: number): number {
  if (count === 0) return -1;
  if (index === -1) return step > 0 ? 0 : count - 1;
  return (index + step + count) % count;
}
