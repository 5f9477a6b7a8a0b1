/**
 * @fileoverview Input for messages: text, files, and the buttons to send and to stop.
 * @module agent/page-app/views/composer/composer
 */
import type { AgentFile } from "@tenon/agent/client";
import { insteadOfDefault } from "@tenon/ui/support/events.js";
import { IconButton } from "@tenon/ui/components/controls/button.js";
import type { TargetedClipboardEvent, TargetedKeyboardEvent } from "preact";
import { useRef } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { describeFiles } from "../../state/attachments.js";
import { AttachmentList } from "./attachment-list.js";
import type { Attachments } from "./use-attachments.js";
import { useDraft } from "./use-draft.js";
import { type Interrupt, useInterrupt } from "./use-interrupt.js";

/** Properties of `Composer`. */
export interface ComposerProps {
  readonly attachments: Attachments;
  readonly onSend: (text: string, files: readonly AgentFile[]) => void;
}

/** Characters that the server accepts in a message. */
const MAX_TEXT = 1_000_000;

/** Input for messages. Users who can only watch see the reason instead. */
export function Composer({ attachments, onSend }: ComposerProps) {
  const { canWrite } = useApp();
  if (!canWrite.value)
    return <p class="a-read-only">You can read this conversation, but you cannot write messages.</p>;
  return <ComposerForm attachments={attachments} onSend={onSend} />;
}

function ComposerForm({ attachments, onSend }: ComposerProps) {
  const { link } = useApp();
  const { box, text, setText } = useDraft();
  const run = useInterrupt();
  const isEmpty = text.trim() === "" && attachments.list.length === 0;
  const canSend = !isEmpty && !run.isRunning && link.state.value.connection === "open";
  const submit = () => {
    if (!canSend) return;
    const message = text.trim() === "" ? describeFiles(attachments.list) : text.trim();
    onSend(
      message,
      attachments.list.map(({ file }) => file),
    );
    setText("");
    attachments.clear();
  };
  return (
    <form
      class="a-composer"
      aria-label="Message"
      onSubmit={insteadOfDefault(() => {
        submit();
        box.current?.focus();
      })}
    >
      <AttachmentList attachments={attachments} />
      <textarea
        ref={box}
        id="composer"
        class="a-composer__text"
        aria-label="Message"
        aria-describedby="composer-keys"
        rows={1}
        maxLength={MAX_TEXT}
        placeholder={usePlaceholder(run.isRunning)}
        enterkeyhint="send"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onPaste={(event) => pasteFiles(event, attachments)}
        onKeyDown={(event) => {
          if (!isSendKey(event)) return;
          event.preventDefault();
          submit();
        }}
      />
      <ComposerBar attachments={attachments} canSend={canSend} run={run} />
    </form>
  );
}

interface ComposerBarProps {
  readonly attachments: Attachments;
  readonly canSend: boolean;
  readonly run: Interrupt;
}

function ComposerBar({ attachments, canSend, run }: ComposerBarProps) {
  return (
    <div class="a-composer__bar">
      <AttachButton attachments={attachments} />
      <span id="composer-keys" class="a-composer__keys">
        <kbd>Enter</kbd> sends, <kbd>Shift</kbd>+<kbd>Enter</kbd> adds a line
        {run.isRunning && (
          <>
            , <kbd>Esc</kbd> stops
          </>
        )}
      </span>
      {run.isRunning ? (
        <IconButton
          class="a-composer__stop"
          icon="stop"
          label={run.isStopping ? "Stopping…" : "Stop"}
          isDisabled={run.isStopping}
          onClick={run.interrupt}
        />
      ) : (
        <IconButton
          class="a-composer__send"
          type="submit"
          icon="arrow-up"
          label="Send"
          isDisabled={!canSend}
        />
      )}
    </div>
  );
}

/** During composition, Enter belongs to the input method. */
function isSendKey(event: TargetedKeyboardEvent<HTMLTextAreaElement>): boolean {
  return event.key === "Enter" && !event.shiftKey && !event.isComposing;
}

function pasteFiles(event: TargetedClipboardEvent<HTMLTextAreaElement>, attachments: Attachments): void {
  const files = [...(event.clipboardData?.files ?? [])];
  if (files.length === 0) return;
  event.preventDefault();
  attachments.add(files);
}

function usePlaceholder(isRunning: boolean): string {
  const { task, config } = useApp();
  if (isRunning) return "The agent is working…";
  if ((task.value?.approvals.length ?? 0) > 0) return "Decide, or write a message…";
  const last = task.value?.messages.at(-1);
  return last?.type === "askFollowupQuestion" ? "Write your answer…" : `Message ${config.title}…`;
}

function AttachButton({ attachments }: { readonly attachments: Attachments }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={(event) => {
          attachments.add([...(event.currentTarget.files ?? [])]);
          // The same file can be chosen again.
          event.currentTarget.value = "";
        }}
      />
      <IconButton icon="attach" label="Attach files" onClick={() => input.current?.click()} />
    </>
  );
}
