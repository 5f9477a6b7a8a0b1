/**
 * @fileoverview Runs many tasks at the same time with official clients, and compares the outcome of each with the
 * expected one. Some tasks ask questions, fail, or are cancelled.
 * @module tools/official-clients/many-tasks
 */
import { isDeepStrictEqual } from "node:util";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type {
  ApplicationInputRequest,
  TaskController,
  TaskEnabledSession,
  TaskOutcome,
} from "@modelcontextprotocol/ext-tasks/client";
import { ANSWERS } from "./official-client.js";
import { connectTasksClient } from "./tasks-client.js";

/** Number of tasks, and how they are distributed. */
export interface ManyTasks {
  readonly count: number;
  readonly clients: number;
  /** Number of tasks that a client runs at the same time. */
  readonly tasksPerClient: number;
}

/** Outcome of a run. */
export interface ManyOutcomes {
  /** Number of tasks that ended as expected. */
  readonly expected: number;
  /** Tasks that ended otherwise. */
  readonly unexpected: readonly string[];
  /** Number of tasks by their status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly questions: number;
  readonly seconds: number;
}

/** Runs tasks on the server at `url` until all have ended. */
export async function runManyTasks(
  url: URL,
  { count, clients, tasksPerClient }: ManyTasks,
): Promise<ManyOutcomes> {
  const started = performance.now();
  let questions = 0;
  const onInputRequest = async (
    request: ApplicationInputRequest,
    context: { applicationContext: number },
  ) => {
    questions++;
    const answer = { action: "accept", content: { name: nameOf(context.applicationContext) } };
    return (request.kind === "sampling" ? ANSWERS.sampling : answer) as never; // one of the two fits
  };
  const connected = await Promise.all(
    Array.from({ length: clients }, () =>
      connectTasksClient<number>(new StreamableHTTPClientTransport(url), { onInputRequest }),
    ),
  );
  const statuses: Record<string, number> = {};
  const unexpected: string[] = [];
  let next = 0;
  const work = async (session: TaskEnabledSession<number>) => {
    for (let index = next++; index < count; index = next++) {
      const kind = KINDS[index % KINDS.length] as Kind; // Safe: the index is within the array
      const seen = await runTask(session, kind, index);
      const status = String(seen["status"]);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (!isDeepStrictEqual(seen, kind.outcome(index))) unexpected.push(`${index}: ${JSON.stringify(seen)}`);
    }
  };
  try {
    const workers = connected.flatMap(({ session }) =>
      Array.from({ length: tasksPerClient }, () => work(session)),
    );
    await Promise.all(workers);
  } finally {
    await Promise.all(connected.map((client) => client.close()));
  }
  const seconds = (performance.now() - started) / 1_000;
  return { expected: count - unexpected.length, unexpected, statuses, questions, seconds };
}

/** Status of a task, and its text or error code. */
type Seen = Readonly<Record<string, unknown>>;

interface Kind {
  readonly tool: string;
  readonly args?: (index: number) => Record<string, number>;
  readonly outcome: (index: number) => Seen;
  /** Time of the cancellation. */
  readonly cancel?: "at once" | "while it runs";
}

const nameOf = (index: number) => `Ada ${index}`;

/** The tasks are of these kinds in turn. */
const KINDS: readonly Kind[] = [
  ...Array.from({ length: 4 }, () => ({
    tool: "square",
    args: (index: number) => ({ value: index }),
    outcome: (index: number) => ({ status: "completed", text: JSON.stringify({ square: index * index }) }),
  })),
  { tool: "greet", outcome: (index) => ({ status: "completed", text: `Hello, ${nameOf(index)}!` }) },
  {
    tool: "combine",
    outcome: (index) => {
      const answer = { action: "accept", content: { name: nameOf(index) } };
      return { status: "completed", text: JSON.stringify([answer, ANSWERS.sampling.model, answer]) };
    },
  },
  { tool: "refuse", outcome: () => ({ status: "completed", text: "Not found", isError: true }) },
  { tool: "break", outcome: () => ({ status: "failed", code: -32603 }) },
  { tool: "wait", cancel: "at once", outcome: () => ({ status: "cancelled" }) },
  { tool: "wait", cancel: "while it runs", outcome: () => ({ status: "cancelled" }) },
];

/** Runs one task. A cancelled task is read from the server, because the client does not wait for it. */
async function runTask(session: TaskEnabledSession<number>, kind: Kind, index: number): Promise<Seen> {
  try {
    const execution = await session.callTool(kind.tool, kind.args?.(index) ?? {}, {
      applicationContext: index,
    });
    if (execution.kind !== "task") return { status: "immediate" };
    if (kind.cancel === undefined) return summarize((await execution.settle()).outcome);
    const task = session.task(execution.handle.taskId);
    if (kind.cancel === "while it runs") await untilRunning(task);
    await execution.cancel();
    return summarize(await task.result());
  } catch (error) {
    return { status: "rejected", reason: String(error) };
  }
}

/** Waits until the handler has reported progress, or the task has ended. */
async function untilRunning(task: TaskController): Promise<void> {
  for (;;) {
    const { status, statusMessage } = await task.snapshot();
    if (status !== "working" || statusMessage !== undefined) return;
  }
}

function summarize(outcome: TaskOutcome<unknown>): Seen {
  const { status } = outcome;
  if (status === "failed") return { status, code: outcome.error.code };
  if (status === "cancelled") return { status };
  const { content, isError } = outcome.result as Result;
  return { status, text: content[0]?.text, ...(isError === undefined ? {} : { isError }) };
}

interface Result {
  readonly content: readonly { readonly text?: string }[];
  readonly isError?: boolean;
}
