/**
 * @fileoverview Theme of a page: the system's preference, light, or dark.
 * @module ui/theme
 */
import { type ReadonlySignal, signal } from "@preact/signals";

/** Theme that the user has selected. */
export type ThemePreference = (typeof THEME_PREFERENCES)[number];

/** Themes that the user can select. */
export const THEME_PREFERENCES = ["system", "light", "dark"] as const;

/** Part of `Storage` that the theme needs. */
export interface ThemeStorage {
  readonly getItem: (key: string) => string | null;
  readonly setItem: (key: string, value: string) => void;
}

/** Element with the theme as its `data-theme`: the root element of the page. */
export interface ThemeRoot {
  readonly dataset: { theme?: string | undefined };
}

/** Theme of a page. */
export interface Theme {
  readonly preference: ReadonlySignal<ThemePreference>;
  /** Applies and stores a theme. */
  readonly select: (preference: ThemePreference) => void;
  /** Selects the next theme, in the order of `THEME_PREFERENCES`. */
  readonly toggle: () => void;
}

/** Options of `createTheme`. */
export interface ThemeOptions {
  readonly root: ThemeRoot;
  readonly storage: ThemeStorage;
  /** Key in the storage. @default "tenon-theme" */
  readonly key?: string | undefined;
}

/** Applies the stored theme to a page. A storage that throws, such as in private windows, has no effect. */
export function createTheme({ root, storage, key = "tenon-theme" }: ThemeOptions): Theme {
  const preference = signal(readPreference(storage, key));
  const apply = () => {
    if (preference.value === "system") delete root.dataset.theme;
    else root.dataset.theme = preference.value;
  };
  const select = (next: ThemePreference) => {
    preference.value = next;
    apply();
    try {
      storage.setItem(key, next);
    } catch {
      // The theme applies until the page is closed.
    }
  };
  apply();
  return {
    preference,
    select,
    toggle() {
      const index = THEME_PREFERENCES.indexOf(preference.value);
      select(THEME_PREFERENCES[(index + 1) % THEME_PREFERENCES.length] ?? "system");
    },
  };
}

function readPreference(storage: ThemeStorage, key: string): ThemePreference {
  try {
    const stored = storage.getItem(key);
    return THEME_PREFERENCES.find((preference) => preference === stored) ?? "system";
  } catch {
    return "system";
  }
}
