/**
 * @fileoverview Search field with a button that clears it.
 * @module ui/components/fields/search-field
 */
import type { TargetedKeyboardEvent } from "preact";
import { useRef } from "preact/hooks";
import { Icon } from "../../icons/icon.js";
import { IconButton } from "../controls/button.js";
import { TextInput, type TextControl } from "./text-input.js";

/** Properties of `SearchField`. */
export interface SearchFieldProps {
  /** Name for screen readers, such as "Search tools". */
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** @default the label */
  readonly placeholder?: string | undefined;
  /** Text for screen readers that changes with the results, such as "12 of 340 tools". */
  readonly status?: string | undefined;
  readonly onKeyDown?: ((event: TargetedKeyboardEvent<TextControl>) => void) | undefined;
}

/** Search field. Escape clears it. */
export function SearchField({ label, value, onInput, placeholder, status, ...props }: SearchFieldProps) {
  const box = useRef<HTMLDivElement>(null);
  const clear = () => {
    onInput("");
    box.current?.querySelector("input")?.focus();
  };
  const onKeyDown = (event: TargetedKeyboardEvent<TextControl>) => {
    if (event.key === "Escape" && value !== "") {
      event.preventDefault();
      event.stopPropagation();
      onInput("");
    } else {
      props.onKeyDown?.(event);
    }
  };
  return (
    <div class="t-search" ref={box}>
      <Icon name="search" />
      <TextInput
        attributes={{ "aria-label": label }}
        type="text"
        value={value}
        onInput={onInput}
        placeholder={placeholder ?? label}
        onKeyDown={onKeyDown}
      />
      {value !== "" && <IconButton icon="close" label="Clear search" onClick={clear} />}
      {status !== undefined && (
        <span class="t-hidden" role="status">
          {status}
        </span>
      )}
    </div>
  );
}
