/**
 * @fileoverview Call that requires the user's approval. Several clients can decide, and the first decision counts.
 * @module agent/page-app/views/cards/approval-card
 */
import type { Approval, ApprovalDecision } from "@tenon/agent/client";
import { insteadOfDefault } from "@tenon/ui/support/events.js";
import { Button } from "@tenon/ui/components/controls/button.js";
import { TextField } from "@tenon/ui/components/fields/text-field.js";
import type { TextControl } from "@tenon/ui/components/fields/text-input.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { formatRoute } from "../../routes/route.js";
import { toLabel } from "../../state/text.js";
import { ParamList } from "./param-list.js";

/** Call that requires approval, or the decision about it. */
export function ApprovalCard({ approval }: { readonly approval: Approval }) {
  const isWaiting = approval.status === "waiting";
  const name = toLabel(approval.toolName, 100);
  const { card, title } = useFocusOnDecision(isWaiting);
  return (
    <section ref={card} class="a-approval" data-status={approval.status} aria-label={`Approval of ${name}`}>
      <div class="a-approval__head">
        <Icon name={isWaiting ? "shield" : approval.status === "approved" ? "success" : "error"} />
        <h3 ref={title} class="a-approval__title" tabIndex={-1}>
          {isWaiting ? (
            <>
              Allow <code>{name}</code>?
            </>
          ) : (
            <>
              <code>{name}</code> {describeDecision(approval)}
            </>
          )}
        </h3>
        {approval.subtaskId !== undefined && (
          <a href={formatRoute({ taskId: approval.subtaskId })}>Open the subtask</a>
        )}
      </div>
      {isWaiting && <ParamList params={approval.params} label={`Parameters of ${name}`} />}
      {!isWaiting && approval.reason !== undefined && approval.reason !== "" && (
        <p class="a-approval__reason">“{approval.reason.slice(0, 2_000)}”</p>
      )}
      {isWaiting && <Decision approval={approval} />}
    </section>
  );
}

/** Moves the focus to the title if it was on the buttons, which a decision removes. */
function useFocusOnDecision(isWaiting: boolean) {
  const card = useRef<HTMLElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  // The buttons still exist while the card is rendered.
  const hadFocus = card.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    if (!isWaiting && hadFocus) title.current?.focus({ preventScroll: true });
  }, [isWaiting]);
  return { card, title };
}

function describeDecision({ status, always, decidedBy }: Approval): string {
  const who = decidedBy === undefined || decidedBy === "" ? "" : ` by ${toLabel(decidedBy, 60)}`;
  if (status === "approved") return always === true ? `was always allowed${who}` : `was allowed${who}`;
  return status === "denied" ? `was denied${who}` : "was not decided";
}

const MAX_REASON = 2_000;

/** Buttons for the decision. A denial can have a reason, which the model reads. */
function Decision({ approval }: { readonly approval: Approval }) {
  const { canWrite } = useApp();
  const [isDenying, setIsDenying] = useState(false);
  const [reason, setReason] = useState("");
  const deciding = useDecide(approval);
  const { denyButton, reasonField } = useDenialFocus(isDenying);
  if (!canWrite.value) return <p class="t-quiet">Another user decides about this call.</p>;
  if (isDenying)
    return (
      <Denial
        {...deciding}
        reason={reason}
        onReason={setReason}
        reasonField={reasonField}
        onBack={() => setIsDenying(false)}
      />
    );
  const { pending, decide } = deciding;
  return (
    <div class="a-approval__actions">
      <Button tone="primary" icon="check" isBusy={pending === "approve"} onClick={() => decide("approve")}>
        Allow
      </Button>
      <Button isBusy={pending === "always"} onClick={() => decide("always")}>
        Always allow in this conversation
      </Button>
      <Button tone="danger" buttonRef={denyButton} onClick={() => setIsDenying(true)}>
        Deny…
      </Button>
    </div>
  );
}

/** Moves the focus to the field for the reason, and back to the button that has opened it. */
function useDenialFocus(isDenying: boolean) {
  const denyButton = useRef<HTMLButtonElement>(null);
  const reasonField = useRef<TextControl>(null);
  const wasDenying = useRef(false);
  useLayoutEffect(() => {
    if (isDenying) reasonField.current?.focus();
    else if (wasDenying.current) denyButton.current?.focus();
    wasDenying.current = isDenying;
  }, [isDenying]);
  return { denyButton, reasonField };
}

interface DenialProps extends ReturnType<typeof useDecide> {
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  readonly reasonField: RefObject<TextControl | null>;
  readonly onBack: () => void;
}

function Denial({ pending, decide, reason, onReason, reasonField, onBack }: DenialProps) {
  return (
    <form
      class="a-approval__denial"
      aria-label="Deny the call"
      onSubmit={insteadOfDefault(() => decide("deny", reason.trim().slice(0, MAX_REASON)))}
    >
      <TextField
        label="Reason (optional)"
        description="The agent reads it, and can try something else."
        value={reason}
        onInput={onReason}
        inputRef={reasonField}
      />
      <div class="a-approval__actions">
        <Button type="submit" tone="danger" isBusy={pending === "deny"}>
          Deny
        </Button>
        <Button tone="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
}

function useDecide(approval: Approval) {
  const { link, attempt } = useApp();
  const [pending, setPending] = useState<ApprovalDecision>();
  const decide = (decision: ApprovalDecision, reason?: string) => {
    if (pending !== undefined) return;
    setPending(decision);
    const request = link.client.decide(approval, decision, reason === "" ? undefined : reason);
    void attempt(request).then(() => setPending(undefined));
  };
  return { pending, decide };
}
