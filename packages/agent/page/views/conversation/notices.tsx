/**
 * @fileoverview Notices between the messages: errors, alerts, interrupts, and compactions.
 * @module agent/page-app/views/conversation/notices
 */
import { Note } from "@tenon/ui/components/controls/badge.js";
import { Markdown } from "@tenon/ui/markdown/markdown.js";
import { Fold } from "../../components/fold.js";

/** Properties of `NoticeLine`. */
export interface NoticeLineProps {
  readonly tone: "info" | "warning" | "danger";
  readonly text: string;
}

const MAX_SHOWN = 4_000;

/** Notice. One that only informs is a quiet line. */
export function NoticeLine({ tone, text }: NoticeLineProps) {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  if (tone === "info")
    return (
      <p class="a-notice">
        <span>{shown}</span>
      </p>
    );
  return (
    <Note tone={tone}>
      <span class="a-notice__text">{shown}</span>
    </Note>
  );
}

/** Tells that the model sees a summary instead of the earlier messages. */
export function CompactionNotice({ summary }: { readonly summary: string }) {
  return (
    <Fold class="a-compaction" icon="compress" summary="Earlier messages were summarized for the model">
      {() => <Markdown text={summary} />}
    </Fold>
  );
}
