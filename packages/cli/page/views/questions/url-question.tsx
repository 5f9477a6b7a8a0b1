/**
 * @fileoverview Question that the user answers on another site.
 * @module cli/page-app/views/questions/url-question
 */
import { Note } from "@tenon/ui/components/controls/badge.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { safeUrl } from "@tenon/ui/support/safe-url.js";
import { UntrustedLink } from "../../components/links.js";
import { readText, toLabel } from "../../state/text.js";
import type { AnswerProps } from "./answer-props.js";
import { QuestionText } from "./question-text.js";

/** URL as text, and a link that opens it. Nothing is opened without a click. */
export function UrlQuestion({ question, url, isSending, onAnswer }: AnswerProps & { readonly url: string }) {
  const safe = safeUrl(url);
  const host = safe === undefined ? undefined : new URL(safe).host;
  return (
    <div class="p-question__form">
      <QuestionText text={readText(question.params, "message") ?? ""} />
      <p>The server wants you to open this URL. Check that you trust the site before you open it.</p>
      <p>
        <code class="p-wrap">{toLabel(url, 2_000)}</code>
      </p>
      {safe === undefined ? (
        <Note tone="danger">The page does not open this URL, because it is not a web address.</Note>
      ) : (
        <p>
          <UntrustedLink url={safe}>Open {host}</UntrustedLink>
        </p>
      )}
      <div class="p-call__buttons">
        <Button tone="primary" icon="check" isBusy={isSending} onClick={() => onAnswer({ action: "accept" })}>
          Accept
        </Button>
        <Button onClick={() => onAnswer({ action: "decline" })}>Decline</Button>
        <Button tone="quiet" onClick={() => onAnswer({ action: "cancel" })}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
