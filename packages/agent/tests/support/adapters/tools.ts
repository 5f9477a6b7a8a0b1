import { defineTool } from "../../../src/tools/define-tool.js";

/** Tools for the adapter tests. */
export const search = defineTool({
  name: "search",
  description: "Searches the archive",
  whenToUse: "When something must be found",
  params: [
    { name: "query", optional: false, description: "What to find", type: "string" },
    { name: "limit", optional: true, description: "Most results", type: "number" },
    {
      name: "filters",
      optional: true,
      description: "Narrows the search",
      type: "array",
      params: [{ name: "filter", optional: false, description: "One filter", type: "string" }],
    },
  ],
  useExamples: ["<search><query>x</query></search>"],
  invoke: async ({ params: { query, limit = 10, filters = [] } }) => ({
    message: `Searched for ${query}`,
    toolResult: { query, limit, filters },
  }),
});

export const shout = defineTool({
  name: "shout",
  description: "Says it louder",
  whenToUse: "When the user is far away",
  params: [{ name: "text", optional: false, description: "What to say", type: "string" }],
  useExamples: [],
  invoke: async ({ params }) => ({ message: "Done", toolResult: params.text.toUpperCase() }),
});

/** Tool that reports its context. */
export const inspect = defineTool({
  name: "inspect",
  description: "Looks around",
  whenToUse: "In tests",
  params: [],
  useExamples: [],
  invoke: async ({ getCurrentTask, getToolFromName, signal, postMessage }) => {
    postMessage?.("on my way");
    postMessage?.({ step: 2 });
    return {
      message: "Looked",
      toolResult: {
        task: getCurrentTask(),
        sameTask: getCurrentTask() === getCurrentTask(),
        siblings: ["search", "inspect", "nobody"].filter((name) => getToolFromName(name) !== undefined),
        hasSignal: signal instanceof AbortSignal,
      },
    };
  },
});

export const fail = defineTool({
  name: "fail",
  description: "Fails",
  whenToUse: "Never",
  params: [],
  useExamples: [],
  invoke: () => Promise.reject(new Error("secret of the house")),
});
