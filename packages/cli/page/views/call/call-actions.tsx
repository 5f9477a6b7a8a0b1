/**
 * @fileoverview Actions on a recorded call: repeat, cancel, copy, and export.
 * @module cli/page-app/views/call/call-actions
 */
import { Button } from "@tenon/ui/components/controls/button.js";
import { Menu, type MenuItem } from "@tenon/ui/components/navigation/menu.js";
import { copyText, saveFile } from "@tenon/ui/support/browser.js";
import { formatBytes, formatQuantity } from "@tenon/ui/support/format.js";
import type { CallDetail, CallSummary } from "../../../src/page/protocol.js";
import { type App, useApp } from "../../app-context.js";
import { isCancellable } from "../../state/calls/call-facts.js";

/** Properties of `CallActions`. */
export interface CallActionsProps {
  readonly call: CallSummary;
  /** Absent until it is read. */
  readonly detail: CallDetail | undefined;
  /** Called with the ID of the repeated call. */
  readonly onRepeated: (id: string) => void;
}

/** Buttons for a call. */
export function CallActions({ call, detail, onRepeated }: CallActionsProps) {
  const app = useApp();
  const repeat = async () => {
    const started = await app.attempt("repeat", { id: call.id });
    if (started !== undefined) onRepeated(started.id);
  };
  return (
    <>
      {isCancellable(call) && (
        <Button icon="stop" tone="danger" onClick={() => void app.attempt("cancel", { id: call.id })}>
          Cancel
        </Button>
      )}
      {call.isRepeatable && (
        <Button icon="repeat" onClick={() => void repeat()}>
          Repeat
        </Button>
      )}
      <Menu label="Copy" icon="copy" hasText items={copyItems(app, detail)} />
      {call.isRepeatable && call.outcome !== "running" && (
        <Button icon="download" onClick={() => void exportCalls(app, [call.id])}>
          Export
        </Button>
      )}
    </>
  );
}

/** Maximum size of a file that can be replayed, in bytes. The backend reads requests that are slightly larger. */
export const MAX_RECORDING_FILE = 30 * 1024 * 1024;

/** Saves calls in a file: some of them, or all. */
export async function exportCalls({ attempt, toasts }: App, ids?: readonly string[]): Promise<void> {
  const recording = await attempt("export", ids === undefined ? {} : { ids });
  if (recording === undefined) return;
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const content = JSON.stringify(recording, undefined, 2);
  saveFile({ name: `tenon-recording-${time}.json`, content });
  const saved = `Saved ${formatQuantity(recording.calls.length, "call")} in a file.`;
  const isLarge = new Blob([content]).size > MAX_RECORDING_FILE;
  toasts.show(
    isLarge
      ? {
          tone: "warning",
          text: `${saved} It is too large to be replayed (limit: ${formatBytes(MAX_RECORDING_FILE)}).`,
        }
      : { tone: "success", text: saved },
  );
}

const SNIPPETS = [
  { id: "curl", label: "Copy as curl", icon: "terminal" },
  { id: "test", label: "Copy as TypeScript test", icon: "code" },
  { id: "cli", label: "Copy as command line", icon: "terminal" },
] as const;

function copyItems({ toasts }: App, detail: CallDetail | undefined): readonly MenuItem[] {
  return SNIPPETS.map(({ id, label, icon }) => {
    const text = detail?.snippets[id];
    const copy = async (content: string) => {
      const isCopied = await copyText(content);
      toasts.show({
        tone: isCopied ? "success" : "danger",
        text: isCopied ? "Copied." : "Could not copy the text.",
      });
    };
    return {
      id,
      label: text === undefined ? `${label} (not available)` : label,
      icon,
      isDisabled: text === undefined,
      onSelect: () => {
        if (text !== undefined) void copy(text);
      },
    };
  });
}
