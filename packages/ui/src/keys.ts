/**
 * @fileoverview Keyboard shortcuts of a page.
 *
 * A shortcut is a key (`?`), a key with modifiers (`mod+k`), or two keys in sequence (`g t`). `mod` is Command on macOS,
 * and Control elsewhere.
 * @module ui/keys
 */
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";

/** Keyboard shortcut. */
export interface Shortcut {
  /** Keys, such as `mod+k`, `shift+ArrowUp`, or `g t`. */
  readonly keys: string;
  /** Action, as the help shows it. */
  readonly title: string;
  /** Heading in the help. @default "General" */
  readonly group?: string | undefined;
  readonly run: () => void;
}

/** Part of a keyboard event that shortcuts need. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly timeStamp: number;
  readonly isComposing?: boolean | undefined;
  /** True if the focus is in an element in which the user types text. */
  readonly isTyping: boolean;
}

/** Group of shortcuts in the help. */
export interface ShortcutGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

/** Shortcuts of a page. */
export interface ShortcutRegistry {
  /** Adds a shortcut. Returns a function that removes it. The last one wins if two have the same keys. */
  readonly add: (shortcut: Shortcut) => () => void;
  /** Runs the shortcut of a key press. Returns true if there is one. */
  readonly handle: (press: KeyPress) => boolean;
  readonly groups: () => readonly ShortcutGroup[];
  /** False if the user has turned off shortcuts that consist of single characters. */
  readonly hasCharacterKeys: ReadonlySignal<boolean>;
  readonly setCharacterKeys: (isOn: boolean) => void;
}

const SEQUENCE_MS = 1_000;

/** Options of `createShortcuts`. */
export interface ShortcutOptions {
  readonly isMac: boolean;
  /** Signal that keeps the user's choice of single-character shortcuts. @default a signal that is true */
  readonly hasCharacterKeys?: Signal<boolean>;
}

/** Creates the shortcuts of a page. */
export function createShortcuts({
  isMac,
  hasCharacterKeys = signal(true),
}: ShortcutOptions): ShortcutRegistry {
  const shortcuts: Shortcut[] = [];
  let previous: { readonly key: string; readonly at: number } | undefined;
  const find = (keys: string) =>
    shortcuts.findLast((shortcut) => normalizeKeys(shortcut.keys, isMac) === keys);
  return {
    hasCharacterKeys,
    setCharacterKeys(isOn) {
      hasCharacterKeys.value = isOn;
    },
    add(shortcut) {
      shortcuts.push(shortcut);
      return () => {
        const index = shortcuts.indexOf(shortcut);
        if (index !== -1) shortcuts.splice(index, 1);
      };
    },
    handle(press) {
      const key = keyOf(press, isMac);
      if (key === undefined || press.isComposing === true) return false;
      const isCharacter = !key.includes("+") && isSingleCharacter(press.key);
      if (isCharacter && (press.isTyping || !hasCharacterKeys.value)) return false;
      const isSequence = previous !== undefined && press.timeStamp - previous.at <= SEQUENCE_MS;
      const found = (isSequence ? find(`${previous?.key} ${key}`) : undefined) ?? find(key);
      previous = found === undefined && isCharacter ? { key, at: press.timeStamp } : undefined;
      found?.run();
      return found !== undefined;
    },
    groups: () => groupShortcuts(shortcuts),
  };
}

/** Returns the keys of a shortcut for display, such as `⌘K` or `Ctrl+K`. */
export function showKeys(keys: string, isMac: boolean): string {
  return keys
    .split(" ")
    .map((press) =>
      press
        .split(/\+(?=.)/)
        .map((part) => (isMac ? MAC_NAMES : OTHER_NAMES)[part] ?? COMMON_NAMES[part] ?? toTitle(part))
        .join(isMac ? "" : "+"),
    )
    .join(" then ");
}

/** Returns true for the key of a character, and false for keys such as `Enter` and `F1`. */
function isSingleCharacter(key: string): boolean {
  return /^.$/su.test(key);
}

/** Returns true if the user types text in an element. */
export function isTextTarget(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !NON_TEXT_INPUTS.has(target.type);
  return (
    target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
  );
}

/** Runs shortcuts for the key presses in a window. Returns a function that stops it. */
export function listenForShortcuts(registry: ShortcutRegistry, target: Window): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    const { key, ctrlKey, metaKey, altKey, shiftKey, timeStamp, isComposing } = event;
    const isTyping = isTextTarget(event.target);
    const press = { key, ctrlKey, metaKey, altKey, shiftKey, timeStamp, isComposing, isTyping };
    if (registry.handle(press)) event.preventDefault();
  };
  target.addEventListener("keydown", onKeyDown);
  return () => target.removeEventListener("keydown", onKeyDown);
}

const NON_TEXT_INPUTS: ReadonlySet<string> = new Set([
  "button",
  "checkbox",
  "radio",
  "range",
  "submit",
  "file",
]);
const MODIFIER_KEYS: ReadonlySet<string> = new Set(["Control", "Meta", "Alt", "Shift"]);
const MODIFIERS = ["mod", "ctrl", "meta", "alt", "shift"] as const;
const MAC_NAMES: Readonly<Record<string, string>> = { mod: "⌘", ctrl: "⌃", alt: "⌥", shift: "⇧" };
const OTHER_NAMES: Readonly<Record<string, string>> = {
  mod: "Ctrl",
  ctrl: "Ctrl",
  alt: "Alt",
  shift: "Shift",
};
const COMMON_NAMES: Readonly<Record<string, string>> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
};

/** Returns a key press in the form of `normalizeKeys`, or `undefined` for a modifier alone. */
function keyOf(press: KeyPress, isMac: boolean): string | undefined {
  if (MODIFIER_KEYS.has(press.key)) return undefined;
  const mod = isMac ? press.metaKey : press.ctrlKey;
  const ctrl = isMac && press.ctrlKey;
  const meta = !isMac && press.metaKey;
  // The character already tells if Shift was pressed, such as `?`.
  const shift = press.shiftKey && (!isSingleCharacter(press.key) || mod || ctrl || meta || press.altKey);
  const isPressed = { mod, ctrl, meta, alt: press.altKey, shift };
  return [...MODIFIERS.filter((modifier) => isPressed[modifier]), press.key.toLowerCase()].join("+");
}

/** Returns the keys of a shortcut in lower case, with modifiers in a fixed order. */
function normalizeKeys(keys: string, isMac: boolean): string {
  return keys
    .toLowerCase()
    .split(" ")
    .map((press) => {
      const parts = press.split(/\+(?=.)/).map((part) => (part === "ctrl" && !isMac ? "mod" : part));
      const key = parts.at(-1) ?? "";
      return [...MODIFIERS.filter((modifier) => parts.slice(0, -1).includes(modifier)), key].join("+");
    })
    .join(" ");
}

function groupShortcuts(shortcuts: readonly Shortcut[]): readonly ShortcutGroup[] {
  const groups = new Map<string, Shortcut[]>();
  for (const shortcut of shortcuts) {
    const title = shortcut.group ?? "General";
    groups.set(title, [...(groups.get(title) ?? []), shortcut]);
  }
  return [...groups].map(([title, members]) => ({ title, shortcuts: members }));
}

function toTitle(key: string): string {
  return key.length === 1 ? key.toUpperCase() : key.slice(0, 1).toUpperCase() + key.slice(1);
}
