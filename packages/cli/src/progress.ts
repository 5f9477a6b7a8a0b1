/**
 * @fileoverview Shows a call's progress on standard error: as a bar in a terminal, otherwise as lines.
 * @module cli/progress
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Terminal } from "@tenon/internal/command-line/command";
import { isTerminal, widthOf } from "@tenon/internal/command-line/text";
import { oneLine } from "@tenon/internal/text";

/** Progress display for one call. */
export interface ProgressDisplay {
  /** Shows a progress notification, or the status message of a task. */
  update(progress: JsonObject): void;
  /** Removes the bar from the terminal. */
  clear(): void;
}

/** Creates the display for one call. */
export function createProgressDisplay({ stderr, env }: Pick<Terminal, "stderr" | "env">): ProgressDisplay {
  if (!isTerminal(stderr) || env["TERM"] === "dumb") {
    return { update: (progress) => void stderr.write(`${toLine(progress)}\n`), clear: () => undefined };
  }
  let isShown = false;
  return {
    update(progress) {
      // The last column stays empty, because some terminals break the line there.
      const bar = oneLine(toBar(progress), Math.max(20, Math.min(200, widthOf(stderr) - 1)));
      stderr.write(`${ERASE_LINE}${bar}`);
      isShown = true;
    },
    clear() {
      if (isShown) stderr.write(ERASE_LINE);
      isShown = false;
    },
  };
}

/** Moves to the start of the line and erases it. */
const ERASE_LINE = "\r\u001b[2K";
const BAR_CELLS = 24;

function toLine({ progress, total, message }: JsonObject): string {
  // A task has status messages without numbers.
  if (progress === undefined && typeof message === "string") return oneLine(message);
  const of = typeof total === "number" ? `/${total}` : "";
  const what = typeof message === "string" ? ` ${oneLine(message)}` : "";
  return `[${typeof progress === "number" ? progress : "?"}${of}]${what}`;
}

function toBar(params: JsonObject): string {
  const { progress, total, message } = params;
  if (typeof progress !== "number" || typeof total !== "number" || !(total > 0)) return toLine(params);
  const share = Math.min(1, Math.max(0, progress / total));
  const filled = Math.round(share * BAR_CELLS);
  const what = typeof message === "string" ? ` ${message}` : "";
  return `[${"#".repeat(filled)}${"-".repeat(BAR_CELLS - filled)}] ${Math.floor(share * 100)}%${what}`;
}
