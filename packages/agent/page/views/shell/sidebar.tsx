/**
 * @fileoverview List of conversations beside the conversation. On narrow screens it is a drawer.
 * @module agent/page-app/views/shell/sidebar
 */
import { Button, IconButton } from "@tenon/ui/components/controls/button.js";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { ConversationList } from "../list/conversation-list.js";

/** List of conversations. On narrow screens, it is a drawer. */
export function Sidebar({ isNarrow }: { readonly isNarrow: boolean }) {
  const { config, isListOpen, showList, link } = useApp();
  const isOpen = isListOpen.value;
  const panel = useRef<HTMLElement>(null);
  const focusAfter = useRef(MENU);
  useDrawer(isNarrow && isOpen, { panel, focusAfter });
  const user = link.state.value.user?.id;
  return (
    <>
      {/* A click beside the drawer closes it. Escape is the way for keyboards. */}
      {isNarrow && isOpen && <div class="a-shade" onClick={() => showList(false)} />}
      <aside
        ref={panel}
        id="sidebar"
        class="a-side"
        data-open={isOpen}
        aria-label="Conversations"
        inert={isNarrow && !isOpen}
      >
        <div class="a-side__head">
          <span class="a-side__brand">
            <span class="a-side__mark" aria-hidden="true" />
            <span class="a-side__name">{config.title}</span>
          </span>
          <IconButton
            class="a-side__close"
            icon="close"
            label="Close the list"
            onClick={() => showList(false)}
          />
        </div>
        <NewButton
          onClick={() => {
            focusAfter.current = COMPOSER;
          }}
        />
        <ConversationList />
        {user !== undefined && (
          <p class="a-side__user" title={user}>
            {user}
          </p>
        )}
      </aside>
    </>
  );
}

function NewButton({ onClick }: { readonly onClick: () => void }) {
  const { router, showList, link } = useApp();
  if (link.state.value.user?.canWrite === false) return null;
  return (
    <div class="a-side__new">
      <Button
        icon="plus"
        onClick={() => {
          onClick();
          showList(false);
          router.go({});
          document.getElementById(COMPOSER)?.focus();
        }}
      >
        New conversation
      </Button>
    </div>
  );
}

/** IDs of the elements that can get the focus when the drawer is closed. */
const MENU = "menu";
const COMPOSER = "composer";

interface Drawer {
  readonly panel: RefObject<HTMLElement | null>;
  /** ID of the element that gets the focus when the drawer is closed. */
  readonly focusAfter: { current: string };
}

/** Moves the focus into the drawer, closes it on Escape, and moves the focus back unless it has moved already. */
function useDrawer(isOpen: boolean, { panel, focusAfter }: Drawer): void {
  const { showList, router } = useApp();
  const { taskId } = router.route.value;
  useEffect(() => showList(false), [taskId]);
  useEffect(() => {
    if (!isOpen) return;
    focusAfter.current = MENU;
    panel.current?.querySelector<HTMLElement>("button, a, input")?.focus();
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (document.querySelector("dialog[open], [popover]:popover-open") !== null) return;
      event.preventDefault();
      showList(false);
    };
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", onKey);
      const active = document.activeElement;
      // The browser removes the focus from the closed drawer, at once or later.
      const isLost = active === null || active === document.body || panel.current?.contains(active) === true;
      if (isLost) document.getElementById(focusAfter.current)?.focus();
    };
  }, [isOpen]);
}
