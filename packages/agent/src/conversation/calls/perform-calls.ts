/**
 * @fileoverview Runs the tool calls of a response. Calls run in parallel, except those of tools that must run alone.
 * @module agent/conversation/calls/perform-calls
 */
import { type CallEnding, type CallSurroundings, performCall, skipCall } from "./perform-call.js";
import { prepareCall } from "./prepare-call.js";
import type { ShownCall } from "../answer/model-response.js";

/**
 * Runs calls. Returns the reason if a call ends the run. `approval` means that calls wait for a decision: they and the
 * calls after them stay open.
 */
export async function performCalls(
  calls: readonly ShownCall[],
  surroundings: CallSurroundings,
  signal: AbortSignal,
): Promise<CallEnding | undefined> {
  let ending: CallEnding | undefined;
  for (const group of toGroups(calls, surroundings.toolbox.runsAlone)) {
    if (ending === "approval") {
      // The calls are shown again when they run.
      for (const { time } of group) surroundings.transcript.discard(time);
    } else if (ending !== undefined || signal.aborted) {
      for (const shown of group) await skipCall(surroundings.transcript, shown);
    } else {
      ending = await performGroup(group, surroundings, signal);
    }
  }
  signal.throwIfAborted();
  return ending;
}

/** Prepares and runs calls at the same time, so that a user sees all approvals at once. */
async function performGroup(
  group: readonly ShownCall[],
  surroundings: CallSurroundings,
  signal: AbortSignal,
): Promise<CallEnding | undefined> {
  const performed = await Promise.allSettled(
    group.map(async (shown) =>
      performCall(await prepareCall(shown, surroundings, signal), surroundings, signal),
    ),
  );
  // All calls have ended, so that none of them can write to the log after the run.
  const failed = performed.find((outcome) => outcome.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return performed
    .flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []))
    .find((ending) => ending !== undefined);
}

/** Splits calls into groups that run one after another. A tool that runs alone has a group of its own. */
function toGroups(
  calls: readonly ShownCall[],
  runsAlone: (toolName: string) => boolean,
): readonly (readonly ShownCall[])[] {
  const groups: ShownCall[][] = [];
  let isOpen = false;
  for (const shown of calls) {
    const isAlone = runsAlone(shown.call.name);
    const last = groups.at(-1);
    if (isOpen && !isAlone && last !== undefined) last.push(shown);
    else groups.push([shown]);
    isOpen = !isAlone;
  }
  return groups;
}
