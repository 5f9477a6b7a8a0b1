/**
 * @fileoverview Built-in tools of every conversation: complete the task, ask the user, run subtasks. A registered
 * tool of the same name replaces the built-in one.
 * @module agent/conversation/built-in-tools
 */
import { McpError } from "tenon/protocol";
import { defineTool, type ToolDefinition } from "../../tools/define-tool.js";

/** Ends a task. Its parameter is shown to the user as the result. */
export const completionResult = /* @__PURE__ */ defineTool({
  name: "completionResult",
  description: "Ends the task and shows its result to the user",
  whenToUse: "When the task is done, and only then",
  params: [{ name: "result", optional: false, description: "What was done, for the user to read" }],
  useExamples: ["<completionResult><result>The note is written.</result></completionResult>"],
  invoke: notRun,
});

/** Asks the user and waits for the answer. */
export const askFollowupQuestion = /* @__PURE__ */ defineTool({
  name: "askFollowupQuestion",
  description: "Asks the user a question and waits for the answer",
  whenToUse: "When you cannot go on without something that only the user knows",
  params: [
    { name: "question", optional: false, description: "The question" },
    {
      name: "suggestOptions",
      optional: true,
      description: "Answers to choose from, if there are a few likely ones",
      type: "array",
      params: [{ name: "option", optional: false, description: "One answer" }],
    },
  ],
  useExamples: [
    "<askFollowupQuestion><question>Which colour?</question><suggestOptions><option>red</option><option>blue</option></suggestOptions></askFollowupQuestion>",
  ],
  invoke: notRun,
});

/** Part of a task that runs as a task of its own. */
export interface Subtask {
  readonly index: number;
  readonly target: string;
}

/** Runs the subtasks of a task and resolves with their outcomes. */
export type RunSubtasks = (
  subtasks: readonly Subtask[],
  taskId: string,
) => Promise<readonly { readonly ok: boolean; readonly text: string }[]>;

/** Maximum number of subtasks per call. */
const MAX_SUBTASKS = 8;

/** Creates the tool that splits a task into subtasks. */
export function createAssignTasks(runSubtasks: RunSubtasks): ToolDefinition {
  return defineTool({
    name: "assignTasks",
    description: `Works on up to ${MAX_SUBTASKS} parts of the task at the same time, each in a conversation of its own`,
    whenToUse: "When the task falls into parts that do not need each other",
    params: [
      {
        name: "tasklist",
        optional: false,
        description: "The parts",
        type: "array",
        params: [
          {
            name: "task",
            optional: false,
            description: "All that must be known to do this part: it sees nothing of this conversation",
          },
        ],
      },
    ],
    useExamples: [
      "<assignTasks><tasklist><task>Find the birthday of Ada Lovelace</task><task>Find the birthday of Alan Turing</task></tasklist></assignTasks>",
    ],
    async invoke({ params, getCurrentTask }) {
      const { length } = params.tasklist;
      if (length === 0 || length > MAX_SUBTASKS) {
        throw new McpError(
          "INVALID_INPUT",
          `\`tasklist\` must have 1 to ${MAX_SUBTASKS} parts; got ${length}.`,
        );
      }
      const subtasks = params.tasklist.map((target, index) => ({ index, target }));
      const outcomes = await runSubtasks(subtasks, getCurrentTask());
      const failed = outcomes.filter(({ ok }) => !ok).length;
      return {
        message: failed === 0 ? `All ${length} parts are done` : `${failed} of ${length} parts failed`,
        toolResult: outcomes.map(({ ok, text }, index) => ({ part: index + 1, ok, text })),
      };
    },
  });
}

/** Never runs: the task loop handles these tools itself. */
function notRun(): Promise<never> {
  return Promise.reject(
    new McpError("INVALID_INPUT", "This tool works only in a conversation of the agent server."),
  );
}
