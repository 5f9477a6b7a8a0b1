/**
 * @fileoverview Built-in tools: complete the task, ask the user, read large results, and run subtasks. A registered tool with the same name
 * replaces a built-in tool.
 * @module agent/conversation/context/built-in-tools
 */
import { McpError } from "tenon/protocol";
import type { ResultPage, ResultPageRequest } from "../../storage/stored-results.js";
import type { AgentUser } from "../../users/user.js";
import { defineTool, type ToolDefinition } from "../../tools/define-tool.js";

/** Ends the task. Its `result` parameter is shown to the user. */
export const completionResult = /* @__PURE__ */ defineTool({
  name: "completionResult",
  description: "Ends the task and shows its result to the user",
  whenToUse: "When the task is done, and only then",
  params: [{ name: "result", optional: false, description: "Summary of what was done, for the user" }],
  useExamples: ["<completionResult><result>The note is written.</result></completionResult>"],
  invoke: notRun,
});

/** Asks the user a question and ends the run. The next user message is the answer. */
export const askFollowupQuestion = /* @__PURE__ */ defineTool({
  name: "askFollowupQuestion",
  description: "Asks the user a question and waits for the answer",
  whenToUse: "When you cannot continue without information that only the user has",
  params: [
    { name: "question", optional: false, description: "The question" },
    {
      name: "suggestOptions",
      optional: true,
      description: "Suggested answers, if a few are likely",
      type: "array",
      params: [{ name: "option", optional: false, description: "One answer" }],
    },
  ],
  useExamples: [
    "<askFollowupQuestion><question>Which color?</question><suggestOptions><option>red</option><option>blue</option></suggestOptions></askFollowupQuestion>",
  ],
  invoke: notRun,
});

/** Reads a page of a stored result. Resolves to `undefined` if the result does not exist. */
export type ReadResult = (taskId: string, page: ResultPageRequest) => Promise<ResultPage | undefined>;

/** Creates the tool with which the model reads large results in pages. */
export function createReadResult(readResult: ReadResult): ToolDefinition {
  return defineTool({
    name: "readResult",
    description: "Reads the next part of a large result that an earlier call returned",
    whenToUse: "When a result says that only its start is shown, and you need more of it",
    params: [
      { name: "resultId", optional: false, description: "ID of the result" },
      { name: "offset", optional: true, description: "Position in bytes (default: 0)", type: "number" },
    ],
    useExamples: [
      "<readResult><resultId>0b9fa1b4-9d7c-4c0a-8f0e-3c1d2e4f5a6b</resultId><offset>50000</offset></readResult>",
    ],
    // Nothing leaves the task, so users need not approve it.
    approval: "auto",
    async invoke({ params: { resultId, offset = 0 }, getCurrentTask }) {
      const page = await readResult(getCurrentTask(), { resultId, offset });
      if (page === undefined) throw new McpError("INVALID_INPUT", "The result does not exist in this task.");
      const end =
        page.nextOffset === undefined
          ? "This is the end of the result."
          : `The result continues at offset ${page.nextOffset} of ${page.bytes} bytes.`;
      return { message: `${page.text}\n[${end}]`, toolResult: undefined };
    },
  });
}

/** Part of a task that runs as a separate task. */
export interface Subtask {
  /** Position in the call's list, starting at 0. */
  readonly index: number;
  /** Instructions for the subtask. */
  readonly target: string;
}

/** Runs a task's subtasks. Resolves with their outcomes, in the same order. */
export type RunSubtasks = (
  subtasks: readonly Subtask[],
  parent: { readonly taskId: string; readonly user: AgentUser | undefined },
) => Promise<readonly { readonly ok: boolean; readonly text: string }[]>;

/** Maximum number of subtasks per call. */
const MAX_SUBTASKS = 8;

/** Creates the tool that splits a task into subtasks. */
export function createAssignTasks(runSubtasks: RunSubtasks): ToolDefinition {
  return defineTool({
    name: "assignTasks",
    description: `Runs up to ${MAX_SUBTASKS} subtasks at the same time, each in a separate conversation`,
    whenToUse: "When the task can be split into independent subtasks",
    params: [
      {
        name: "tasklist",
        optional: false,
        description: "The subtasks",
        type: "array",
        params: [
          {
            name: "task",
            optional: false,
            description: "Everything the subtask needs to know. It cannot see this conversation",
          },
        ],
      },
    ],
    useExamples: [
      "<assignTasks><tasklist><task>Find the birthday of Ada Lovelace</task><task>Find the birthday of Alan Turing</task></tasklist></assignTasks>",
    ],
    // Users decide about the calls of the subtasks instead.
    approval: "auto",
    // One call can start several subtasks already.
    parallel: false,
    async invoke({ params, getCurrentTask, user }) {
      const { length } = params.tasklist;
      if (length === 0 || length > MAX_SUBTASKS) {
        throw new McpError(
          "INVALID_INPUT",
          `\`tasklist\` must contain 1 to ${MAX_SUBTASKS} subtasks; got ${length}.`,
        );
      }
      const subtasks = params.tasklist.map((target, index) => ({ index, target }));
      const outcomes = await runSubtasks(subtasks, { taskId: getCurrentTask(), user });
      const failed = outcomes.filter(({ ok }) => !ok).length;
      return {
        message: describeOutcomes(length, failed),
        toolResult: outcomes.map(({ ok, text }, index) => ({ part: index + 1, ok, text })),
      };
    },
  });
}

function describeOutcomes(count: number, failed: number): string {
  if (count === 1) return failed === 0 ? "The subtask is done." : "The subtask failed.";
  return failed === 0 ? `All ${count} subtasks are done.` : `${failed} of ${count} subtasks failed.`;
}

/** Rejects calls outside a conversation. In a conversation, the task loop handles these tools itself. */
function notRun(): Promise<never> {
  return Promise.reject(
    new McpError("INVALID_INPUT", "This tool is available only in a conversation on an agent server."),
  );
}
