/**
 * @fileoverview Button that copies a text and confirms it.
 * @module ui/components/controls/copy-button
 */
import { useEffect, useState } from "preact/hooks";
import { copyText } from "../../support/browser.js";
import { browserTimer } from "../../support/timer.js";
import { IconButton } from "./button.js";

/** Properties of `CopyButton`. */
export interface CopyButtonProps {
  /** Text to copy, or a function that creates it when the button is clicked. */
  readonly text: string | (() => string);
  /** @default "Copy" */
  readonly label?: string | undefined;
}

const CONFIRMATION_MS = 2_000;

/** Copies a text. The icon and a message for screen readers confirm it for two seconds. */
export function CopyButton({ text, label = "Copy" }: CopyButtonProps) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (state !== "idle") return browserTimer.after(CONFIRMATION_MS, () => setState("idle"));
  }, [state]);

  const copy = async () => {
    setState((await copyText(typeof text === "string" ? text : text())) ? "copied" : "failed");
  };
  const message = { idle: "", copied: "Copied", failed: "Could not copy" }[state];
  const icon = ({ idle: "copy", copied: "check", failed: "error" } as const)[state];
  return (
    <span class="t-copy" data-state={state}>
      <IconButton icon={icon} label={label} onClick={() => void copy()} />
      <span class="t-hidden" role="status">
        {message}
      </span>
    </span>
  );
}
