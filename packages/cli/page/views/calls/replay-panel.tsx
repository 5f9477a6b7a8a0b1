/**
 * @fileoverview Progress and differences of a replay.
 * @module cli/page-app/views/calls/replay-panel
 */
import { Button, IconButton } from "@tenon/ui/components/controls/button.js";
import { ProgressBar } from "@tenon/ui/components/data/meters.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import { useState } from "preact/hooks";
import type { ReplayState } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { RouteLink } from "../../components/links.js";
import { OUTCOME_FACTS } from "../../state/calls/call-facts.js";
import { toLabel } from "../../state/text.js";

const MAX_DIFFERENCES = 100;

/** Panel with the last replay, until the user closes it. */
export function ReplayPanel() {
  const { store, attempt } = useApp();
  const [closedId, setClosedId] = useState<string>();
  const replay = store.replay.value;
  if (replay === undefined || replay.id === closedId) return null;
  const isRunning = replay.status === "running";
  return (
    <section class="p-replay" aria-label="Replay">
      <div class="p-replay__head">
        <strong role="status">{describe(replay)}</strong>
        {isRunning ? (
          <Button icon="stop" tone="danger" onClick={() => void attempt("cancel-replay", { id: replay.id })}>
            Cancel
          </Button>
        ) : (
          <IconButton icon="close" label="Close the replay" onClick={() => setClosedId(replay.id)} />
        )}
      </div>
      <ProgressBar
        label="Progress of the replay"
        value={replay.done}
        total={replay.total}
        text={`${replay.done} of ${replay.total}`}
      />
      {replay.differences.length > 0 && <Differences differences={replay.differences} />}
    </section>
  );
}

function Differences({ differences }: Pick<ReplayState, "differences">) {
  return (
    <ul class="p-replay__list">
      {differences.slice(0, MAX_DIFFERENCES).map(({ name, before, after, callId, isResult }, index) => (
        <li key={index}>
          {callId === "" ? (
            toLabel(name, 80)
          ) : (
            <RouteLink to={{ area: "calls", id: callId }}>{toLabel(name, 80)}</RouteLink>
          )}
          <span class="t-quiet">
            {isResult
              ? " has another result"
              : ` was "${OUTCOME_FACTS[before].label}", and is "${OUTCOME_FACTS[after].label}" now`}
          </span>
        </li>
      ))}
      {differences.length > MAX_DIFFERENCES && (
        <li>{formatQuantity(differences.length - MAX_DIFFERENCES, "more difference")}</li>
      )}
    </ul>
  );
}

function describe({ status, differences, done }: ReplayState): string {
  if (status === "running") return "Replaying";
  const found =
    differences.length === 0 ? "no differences" : formatQuantity(differences.length, "difference");
  const calls = formatQuantity(done, "call");
  return status === "done" ? `Replayed ${calls}: ${found}` : `Cancelled after ${calls}: ${found}`;
}
