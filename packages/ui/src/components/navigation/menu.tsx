/**
 * @fileoverview Button that opens a menu of actions.
 * @module ui/components/navigation/menu
 */
import type { TargetedKeyboardEvent } from "preact";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../../icons/icon.js";
import type { IconName } from "../../icons/shapes.js";
import { createTypeAhead, moveByKey } from "../collections/navigation-keys.js";

/** Action in a menu. */
export interface MenuItem {
  readonly id: string;
  readonly label: string;
  readonly icon?: IconName | undefined;
  readonly isDisabled?: boolean | undefined;
  readonly isDangerous?: boolean | undefined;
  readonly onSelect: () => void;
}

/** Properties of `Menu`. */
export interface MenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Icon of the button. @default "more" */
  readonly icon?: IconName | undefined;
  /** True if the button shows its label. Otherwise it shows only the icon. */
  readonly hasText?: boolean | undefined;
}

const MARGIN = 4;

/**
 * Menu button. The menu is a popover, so the browser shows it above everything else, and closes it on Escape and on clicks
 * elsewhere.
 */
export function Menu({ label, items, icon = "more", hasText = false }: MenuProps) {
  const id = useId();
  const { button, menu, isOpen, setIsOpen, open, close, onButtonKey, onMenuKey } = useMenu(items);
  return (
    <span class="t-menu">
      <button
        ref={button}
        type="button"
        class={hasText ? "t-button" : "t-icon-button"}
        data-tone={hasText ? "default" : undefined}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={hasText ? undefined : label}
        title={hasText ? undefined : label}
        popoverTarget={id}
        onClick={(event) => {
          event.preventDefault();
          // The event that updates the state comes later.
          if (menu.current?.matches(":popover-open") === true) close();
          else open(0);
        }}
        onKeyDown={onButtonKey}
      >
        <Icon name={icon} />
        {hasText && <span>{label}</span>}
      </button>
      <div
        ref={menu}
        id={id}
        class="t-menu__list"
        role="menu"
        aria-label={label}
        popover="auto"
        onToggle={(event) => setIsOpen(event.newState === "open")}
        onKeyDown={onMenuKey}
      >
        {items.map((item) => (
          <MenuEntry key={item.id} item={item} onClose={close} />
        ))}
      </div>
    </span>
  );
}

/** State and keys of a menu. */
function useMenu(items: readonly MenuItem[]) {
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const typeAhead = useMemo(createTypeAhead, []);
  const focusItem = (index: number) =>
    menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]")[index]?.focus();
  const open = (index: number) => {
    menu.current?.showPopover();
    if (button.current !== null && menu.current !== null) place(menu.current, button.current);
    focusItem(index);
  };
  const close = () => {
    menu.current?.hidePopover();
    button.current?.focus();
  };
  const onButtonKey = (event: TargetedKeyboardEvent<HTMLButtonElement>) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    open(event.key === "ArrowDown" ? 0 : items.length - 1);
  };
  const onMenuKey = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = [...event.currentTarget.querySelectorAll("[role=menuitem]")];
    const index = all.findIndex((item) => item === document.activeElement);
    const position = { index, count: items.length };
    const textAt = (at: number) => items[at]?.label ?? "";
    const next =
      moveByKey(event.key, { ...position, isCircular: true }) ??
      typeAhead.find({ key: event.key, at: event.timeStamp, ...position, textAt });
    if (event.key === "Tab") close();
    if (next === undefined) return;
    event.preventDefault();
    focusItem(next);
  };
  return { button, menu, isOpen, setIsOpen, open, close, onButtonKey, onMenuKey };
}

function MenuEntry({ item, onClose }: { readonly item: MenuItem; readonly onClose: () => void }) {
  return (
    <button
      type="button"
      role="menuitem"
      class="t-menu__item"
      data-danger={item.isDangerous === true}
      aria-disabled={item.isDisabled === true ? true : undefined}
      tabIndex={-1}
      onClick={() => {
        if (item.isDisabled === true) return;
        onClose();
        item.onSelect();
      }}
    >
      {item.icon !== undefined && <Icon name={item.icon} />}
      <span>{item.label}</span>
    </button>
  );
}

/** Places the menu below its button, or above it if there is more space. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const anchor = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.max(MARGIN, Math.min(anchor.left, innerWidth - width - MARGIN));
  const below = anchor.bottom + MARGIN;
  const isAbove = below + height > innerHeight && anchor.top > innerHeight - anchor.bottom;
  menu.style.left = `${left}px`;
  menu.style.top = `${isAbove ? Math.max(MARGIN, anchor.top - height - MARGIN) : below}px`;
}
