/**
 * @fileoverview Modal dialog.
 * @module ui/components/overlay/dialog
 */
import type { ComponentChildren } from "preact";
import { insteadOfDefault } from "../../support/events.js";
import { useEffect, useId, useRef } from "preact/hooks";
import { classNames } from "../../support/class-names.js";
import { useLatest } from "../../support/use-latest.js";
import { IconButton } from "../controls/button.js";

/** Properties of `Dialog`. */
export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** Called for Escape, the close button, and clicks outside the dialog. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons at the end. */
  readonly actions?: ComponentChildren;
  readonly class?: string | undefined;
}

/** Modal dialog. The focus returns to the element that had it before. */
export function Dialog({ title, isOpen, onClose, children, actions, class: className }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const latestClose = useLatest(onClose);
  useEffect(() => {
    const element = dialog.current;
    if (!isOpen || element === null) return;
    const before = document.activeElement;
    element.showModal();
    return () => {
      element.close();
      // The browser does this too, except if the dialog is removed from the page.
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <dialog
      ref={dialog}
      class={classNames("t-dialog", className)}
      aria-labelledby={id}
      onCancel={insteadOfDefault(() => latestClose.current())}
      onPointerDown={(event) => {
        // The dialog's own area is its backdrop, because its content covers the rest.
        if (event.target === event.currentTarget) latestClose.current();
      }}
    >
      <div class="t-dialog__frame">
        <header class="t-dialog__header">
          <h2 id={id} class="t-dialog__title">
            {title}
          </h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        <div class="t-dialog__body">{children}</div>
        {actions !== undefined && <footer class="t-dialog__actions">{actions}</footer>}
      </div>
    </dialog>
  );
}
