/**
 * @fileoverview Region of a page that shows toasts.
 * @module ui/components/overlay/toast-region
 */
import { Icon } from "../../icons/icon.js";
import { TONE_ICONS } from "../controls/badge.js";
import { Button, IconButton } from "../controls/button.js";
import type { Toast, ToastStore } from "./toast-store.js";

/** Shows toasts. Screen readers announce them when the user pauses. Render it once, from the start of the page. */
export function ToastRegion({ store }: { readonly store: ToastStore }) {
  return (
    <section
      class="t-toasts"
      aria-label="Notifications"
      onMouseEnter={() => store.hold(true)}
      onMouseLeave={() => store.hold(false)}
      onFocusIn={() => store.hold(true)}
      onFocusOut={() => store.hold(false)}
    >
      <ul aria-live="polite" aria-relevant="additions">
        {store.toasts.value.map((toast) => (
          <ToastItem key={toast.id} toast={toast} onClose={() => store.close(toast.id)} />
        ))}
      </ul>
    </section>
  );
}

function ToastItem({ toast, onClose }: { readonly toast: Toast; readonly onClose: () => void }) {
  const { tone, text, action } = toast;
  return (
    <li class="t-toast" data-tone={tone}>
      <Icon name={TONE_ICONS[tone]} label={tone === "danger" ? "Error" : undefined} />
      <span class="t-toast__text">{text}</span>
      {action !== undefined && (
        <Button
          tone="quiet"
          onClick={() => {
            onClose();
            action.onClick();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon="close" label="Close notification" onClick={onClose} />
    </li>
  );
}
