/**
 * @fileoverview Settings that the page remembers.
 * @module cli/page-app/state/settings
 */
import { isJsonObject } from "@tenon/internal/json";
import type { Era } from "tenon/protocol";
import type { Setting } from "./memory.js";

/** Era that the user prefers for calls. */
export const ERA: Setting<Era | "newest"> = {
  key: "era",
  initial: "newest",
  parse: (value) => oneOf(value, ["newest", "legacy", "modern"] as const),
};

/** False if the user has turned off shortcuts that consist of single characters. */
export const CHARACTER_KEYS: Setting<boolean> = {
  key: "character-keys",
  initial: true,
  parse: (value) => (typeof value === "boolean" ? value : undefined),
};

/** View of the tools whose tokens are shown. An empty text is the first view. */
export const TOOL_VIEW: Setting<string> = { key: "view", initial: "", parse: toText };

/** Tool that was selected last. */
export const LAST_TOOL: Setting<string> = { key: "tool", initial: "", parse: toText };

/** Search text of each list, by area. */
export function searchSetting(area: string): Setting<string> {
  return { key: `search.${area}`, initial: "", parse: toText };
}

/** Width of the first pane of an area, in pixels. */
export function splitSetting(area: string, initial: number): Setting<number> {
  return { key: `split.${area}`, initial, parse: (value) => (typeof value === "number" ? value : undefined) };
}

/** Groups of the tool tree that the user has opened or closed, by ID. */
export const TOGGLED_GROUPS: Setting<Readonly<Record<string, boolean>>> = {
  key: "groups",
  initial: {},
  parse: (value) =>
    isJsonObject(value)
      ? Object.fromEntries(
          Object.entries(value)
            .slice(0, MAX_TOGGLES)
            .filter((entry): entry is [string, boolean] => typeof entry[1] === "boolean"),
        )
      : undefined,
};

/** Groups whose state is remembered. */
const MAX_TOGGLES = 500;

/** Returns a text from the storage. */
export function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns a value if it is one of a list. */
export function oneOf<T extends string>(value: unknown, options: readonly T[]): T | undefined {
  return options.find((option) => option === value);
}
