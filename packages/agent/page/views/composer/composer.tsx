/**
 * @fileoverview Input for messages: text, files, and the buttons to send and to stop.
 * @module agent/page-app/views/composer/composer
 */
import type { AgentFile } from "@tenon/agent/client";
import { insteadOfDefault } from "@tenon/ui/support/events.js";
import { IconButton } from "@tenon/ui/components/controls/button.js";
import type { TargetedClipboardEvent, TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { describeFiles } from "../../state/attachments.js";
import { AttachmentList } from "./attachment-list.js";
import type { Attachments } from "./use-attachments.js";
import { useLatest } from "@tenon/ui/support/use-latest.js";

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

/** Returns the text of the input, and a reference for its element. The input grows with it, and gets the focus in each conversation. */
function useDraft() {
  const { drafts, router } = useApp();
  const { taskId } = router.route.value;
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => drafts.read(taskId));
  useEffect(() => {
    setText(drafts.read(taskId));
    // On touch screens, the focus would open the keyboard.
    if (matchMedia("(pointer: fine)").matches && document.querySelector("dialog[open]") === null)
      box.current?.focus();
  }, [taskId]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);
  return {
    box,
    text,
    setText: (next: string) => {
      setText(next);
      drafts.save(router.route.peek().taskId, next);
    },
  };
}

/** State of the shown run, and a function that stops it. */
type Interrupt = ReturnType<typeof useInterrupt>;

/** Returns the state of the shown run. Escape stops it, except if it closes something else. */
function useInterrupt() {
  const { task, link, attempt } = useApp();
  const shown = task.value;
  const isRunning = shown?.isRunning === true;
  const [stopping, setStopping] = useState<string>();
  useEffect(() => {
    if (!isRunning) setStopping(undefined);
  }, [isRunning, shown?.taskId]);
  const interrupt = () => {
    if (shown === undefined || !isRunning || stopping === shown.taskId) return;
    setStopping(shown.taskId);
    void attempt(link.client.interrupt(shown.taskId)).then((isDone) => {
      if (!isDone) setStopping(undefined);
    });
  };
  const latest = useLatest(interrupt);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && mayInterrupt(event)) latest.current();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return { isRunning, isStopping: stopping !== undefined && stopping === shown?.taskId, interrupt };
}

/** Returns false if Escape closes a dialog, a menu, or the list, or ends the input of a word or a search. */
function mayInterrupt(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.repeat) return false;
  const isElsewhere =
    event.target instanceof HTMLElement &&
    event.target.matches("input, select, textarea:not(#composer), [contenteditable]");
  const isCovered = document.querySelector("dialog[open], [popover]:popover-open, .a-shade") !== null;
  return !isElsewhere && !isCovered;
}
