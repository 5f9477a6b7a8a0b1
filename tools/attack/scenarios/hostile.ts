/**
 * @fileoverview Hostile servers attack clients with a small heap: the client, `tenon list`, `tenon tokens`,
 * `tenon inspect`, and an agent.
 * @module tools/attack/scenarios/hostile
 */
import type { AttackContext } from "../context.js";
import { type HostileOutcome, type HostileRun, runHostile } from "../hostile/run-hostile.js";

/** Attack and the text that the client must report. */
interface Attack extends Pick<HostileRun, "behavior" | "action"> {
  readonly modes: readonly HostileRun["mode"][];
  readonly expected: RegExp;
  /** Heap of the client. The page needs a small one, because it receives only a few messages in the time. */
  readonly heapMegabytes?: number;
  /** True if the short form includes it. */
  readonly isShort?: boolean;
}

const BOTH = ["http", "stdio"] as const;
const HTTP = ["http"] as const;
const STDIO = ["stdio"] as const;

const LONG_KEYS = /keys of the task's questions are too long/;
const LARGE_HANDSHAKE = /description of itself is too large/;
const TOO_LARGE = /too large/;
const INSPECT = "tenon inspect --no-open";
const PAGE_WORKS = /^The page responded with HTTP 200\.$/m;
const TIMEOUT = /did not respond to tools\/call within 3 s/;

/** All attacks. */
export const HOSTILE_ATTACKS: readonly Attack[] = [
  {
    behavior: "pages",
    action: "list",
    modes: BOTH,
    expected: /tools\/list result is too large/,
    isShort: true,
  },
  { behavior: "values", action: "list", modes: BOTH, expected: /tools\/list result is too large/ },
  { behavior: "keys", action: "list", modes: BOTH, expected: /tools\/list result is too large/ },
  { behavior: "cursors", action: "list", modes: BOTH, expected: /repeats a cursor/ },
  {
    behavior: "pages",
    action: "tenon list",
    modes: HTTP,
    expected: /tools\/list result is too large/,
    isShort: true,
  },
  {
    behavior: "pages",
    action: "tenon list --json",
    modes: STDIO,
    expected: /tools\/list result is too large/,
  },
  { behavior: "pages", action: "tenon tokens", modes: HTTP, expected: /tools\/list result is too large/ },
  {
    behavior: "pages",
    action: "agent",
    modes: BOTH,
    expected: /tools\/list result is too large/,
    isShort: true,
  },
  { behavior: "changes", action: "agent", modes: BOTH, expected: /still connected/ },
  { behavior: "pages", action: INSPECT, modes: HTTP, expected: PAGE_WORKS },
  { behavior: "changes", action: INSPECT, modes: HTTP, expected: PAGE_WORKS },
  {
    behavior: "notifications",
    action: INSPECT,
    modes: BOTH,
    expected: PAGE_WORKS,
    heapMegabytes: 192,
    isShort: true,
  },
  { behavior: "notifications", action: "wait", modes: BOTH, expected: /did not respond/, isShort: true },
  { behavior: "pings", action: "wait", modes: BOTH, expected: /did not respond/, isShort: true },
  { behavior: "muteAnswers", action: "call", modes: HTTP, expected: TIMEOUT },
  { behavior: "unknown", action: "call", modes: BOTH, expected: TIMEOUT },
  { behavior: "samples", action: "call", modes: BOTH, expected: /within [36] s/ },
  { behavior: "ids", action: "call", modes: BOTH, expected: TIMEOUT },
  { behavior: "progress", action: "call", modes: BOTH, expected: TIMEOUT, isShort: true },
  {
    behavior: "progress",
    action: "progress",
    modes: BOTH,
    expected: /did not complete tools\/call within 3 s/,
  },
  { behavior: "nesting", action: "call", modes: BOTH, expected: TOO_LARGE },
  // Over stdio, a line that is not a message is ignored.
  { behavior: "line", action: "call", modes: BOTH, expected: /too large|did not respond/ },
  { behavior: "body", action: "call", modes: HTTP, expected: TOO_LARGE },
  { behavior: "bytes", action: "call", modes: HTTP, expected: /too large|did not respond/ },
  { behavior: "dataLines", action: "call", modes: HTTP, expected: TIMEOUT, isShort: true },
  { behavior: "comments", action: "call", modes: HTTP, expected: TIMEOUT },
  { behavior: "drip", action: "call", modes: BOTH, expected: TIMEOUT },
  { behavior: "halves", action: "calls", modes: HTTP, expected: /limits\.maxConnectionBytes/ },
  {
    behavior: "halves",
    action: "clients",
    modes: HTTP,
    expected: /limits\.max(?:Total|Connection)Bytes/,
    isShort: true,
  },
  {
    behavior: "wideHalves",
    action: "clients",
    modes: HTTP,
    expected: /limits\.max(?:Total|Connection)Bytes/,
    isShort: true,
  },
  { behavior: "legacy-pings", action: "agent", modes: HTTP, expected: /still connected/ },
  { behavior: "legacy-notifications", action: "agent", modes: HTTP, expected: /still connected/ },
  { behavior: "deaf", action: "deaf", modes: STDIO, expected: /does not read its input/, isShort: true },
  { behavior: "redirects", action: "call", modes: HTTP, expected: /Redirects are not followed/ },
  { behavior: "task", action: "task", modes: BOTH, expected: /did not complete tools\/call within 3 s/ },
  { behavior: "longKeys", action: "questions", modes: BOTH, expected: LONG_KEYS, isShort: true },
  { behavior: "manyKeys", action: "questions", modes: BOTH, expected: LONG_KEYS, isShort: true },
  // `server/discover`, and `initialize`.
  ...["handshake", "legacy-handshake"].map((behavior) => ({
    behavior,
    action: "connect",
    modes: behavior === "handshake" ? BOTH : HTTP,
    expected: LARGE_HANDSHAKE,
    heapMegabytes: 128,
    isShort: true,
  })),
];

/** Usual heap of the clients, and their highest resident memory with buffers outside the heap, in megabytes. */
const HEAP_MEGABYTES = 256;
const MAX_MEGABYTES = 640;
/** Most HTTP requests that one attack may cause. A flood of pings may cause 100 in a second. */
const MAX_REQUESTS = 1_500;

/** Runs the attacks. */
export async function hostile({ figures, print, isShort }: AttackContext): Promise<void> {
  const runs = HOSTILE_ATTACKS.filter((attack) => !isShort || attack.isShort === true).flatMap((attack) =>
    attack.modes.map((mode) => ({ heapMegabytes: HEAP_MEGABYTES, ...attack, mode })),
  );
  const outcomes: HostileOutcome[] = [];
  let succeeded = 0;
  for (const run of runs) {
    const outcome = await runHostile(run);
    const problem = findProblem(outcome, run.expected);
    if (problem !== undefined) succeeded++;
    const memory = `peak ${outcome.peakMegabytes} MB, ${outcome.requests} requests`;
    print(
      `${run.behavior}, ${run.action}, ${run.mode}: ${memory}${problem === undefined ? "" : `; ${problem}`}`,
    );
    outcomes.push(outcome);
  }
  figures.atLeast("attacks on clients", outcomes.length, isShort ? 20 : 52);
  figures.exactly("attacks that succeeded", succeeded, 0);
  const most = (read: (outcome: HostileOutcome) => number) => Math.max(...outcomes.map(read));
  figures.megabytes(
    "highest memory of a client",
    most((one) => one.peakMegabytes),
    MAX_MEGABYTES,
  );
  figures.exactly(
    "attacks with too many requests",
    outcomes.filter((one) => one.requests > MAX_REQUESTS).length,
    0,
  );
  figures.within(
    "longest attack",
    most((one) => one.ms),
    60_000,
  );
}

/** Describes an attack that succeeded: the client did not end by itself, or not with the expected error. */
function findProblem(
  { message, exitCode, peakMegabytes }: HostileOutcome,
  expected: RegExp,
): string | undefined {
  if (exitCode !== 0 && exitCode !== 1)
    return `the client ended with ${exitCode}, at ${peakMegabytes} MB: ${message.slice(-300)}`;
  return expected.test(message) ? undefined : `the client reported ${message.slice(-300)}`;
}
