/**
 * @fileoverview Length of the conversation, and a button for its tokens.
 * @module agent/page-app/views/usage/context-meter
 */
import { shareOf } from "@tenon/ui/components/data/chart-math.js";
import { useState } from "preact/hooks";
import { useApp } from "../../app-context.js";
import { formatTokens } from "../../state/usage.js";
import { UsageDialog } from "./usage-dialog.js";

const RADIUS = 6.5;
const CIRCUMFERENCE = 2 * Math.PI * RADIUS;
const NEAR = 0.8;

/** Length of the conversation in relation to the model's limit. */
export function ContextMeter() {
  const { task } = useApp();
  const [isOpen, setIsOpen] = useState(false);
  const shown = task.value;
  if (shown === undefined) return null;
  const { contextTokens, contextWindow, usage } = shown;
  const total = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  if (contextTokens === undefined && total === 0) return null;
  const share = contextTokens === undefined ? undefined : shareOf(contextTokens, contextWindow);
  const label =
    share === undefined
      ? `${formatTokens(contextTokens ?? total)} tokens`
      : `${Math.round(share * 100)}% of the context`;
  return (
    <>
      <button
        type="button"
        class="a-context"
        data-near={share !== undefined && share >= NEAR}
        title="Show the tokens of this conversation"
        onClick={() => setIsOpen(true)}
      >
        {share !== undefined && <Ring share={share} />}
        <span>{label}</span>
      </button>
      <UsageDialog task={shown} isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </>
  );
}

function Ring({ share }: { readonly share: number }) {
  return (
    <svg class="a-context__ring" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r={RADIUS} />
      <circle
        class="a-context__share"
        cx="8"
        cy="8"
        r={RADIUS}
        stroke-dasharray={`${share * CIRCUMFERENCE} ${CIRCUMFERENCE}`}
      />
    </svg>
  );
}
