/**
 * @fileoverview An agent as a tool of another agent.
 * @module agent/in-process/agent-as-tool
 */
import { assertOptions, defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { text } from "@tenon/internal/options/option-rows";
import { defineTool, type ToolDefinition } from "../tools/define-tool.js";
import {
  type AgentEvent,
  type AgentRunOptions,
  type AgentRunResult,
  type Decision,
  RUN_OPTIONS,
} from "./run-options.js";

/** Agent that can run in the same process, such as an `AgentServer`. */
export interface RunnableAgent {
  run(input: string, options?: AgentRunOptions): Promise<AgentRunResult>;
}

const AGENT_OPTIONS = /* @__PURE__ */ defineOptions("fromAgent", {
  /** Name of the tool. */
  name: text({ required: true }),
  /** Description of the tool for the model. */
  description: text({ required: true }),
  /** Situations in which the model should call the agent. */
  whenToUse: text({ required: true }),
  /** Decides about the calls of the agent that require approval. @default they are denied */
  onApproval: RUN_OPTIONS.rows.onApproval,
});

/** Options for `fromAgent`. */
export interface FromAgentOptions<TName extends string = string> extends OptionsOf<typeof AGENT_OPTIONS> {
  readonly name: TName;
}

/**
 * Creates a tool that passes a task to another agent and returns its response. Each call is a new task of that agent. An
 * interrupt of the calling agent interrupts it, too.
 *
 * @example builder.registerTool(fromAgent(researcher, { name: "research", description: "…", whenToUse: "…" }))
 */
export function fromAgent<const TName extends string>(
  agent: RunnableAgent,
  options: FromAgentOptions<TName>,
): ToolDefinition<TName, { readonly message: string }, AgentToolResult> {
  assertOptions(AGENT_OPTIONS, options);
  const { name, description, whenToUse, onApproval = () => NOBODY } = options;
  return defineTool({
    name,
    description,
    whenToUse,
    params: [
      {
        name: "message",
        optional: false,
        description: "Everything the agent needs to know. It cannot see this conversation",
      },
    ],
    useExamples: [`<${name}><message>The task for the agent</message></${name}>`],
    async invoke({ params, signal, user, postMessage }) {
      const onEvent = (event: AgentEvent) => {
        const step = describeStep(event);
        if (step !== undefined) postMessage?.(step);
      };
      const options = { signal, user, onEvent, onApproval };
      const { taskId, reason, text, problem } = await agent.run(params.message, options);
      const isDone = reason === "answered" || reason === "completed" || reason === "question";
      const message = isDone ? text : (problem ?? `The agent did not complete the task (reason: ${reason}).`);
      return { message, toolResult: { taskId, reason } };
    },
  });
}

/** Data that a call of an agent returns next to the text. */
export interface AgentToolResult {
  readonly taskId: string;
  readonly reason: AgentRunResult["reason"];
}

/** Describes a step of an agent as progress. Returns `undefined` for messages that are not steps. */
export function describeStep({ type, data }: AgentEvent): string | undefined {
  if (type !== "tool") return undefined;
  const { toolName, status } = data as { readonly toolName?: unknown; readonly status?: unknown };
  return status === "running" ? `Calling ${String(toolName)}` : undefined;
}

/** Decision about the calls of an agent that no user watches. */
export const NOBODY: Decision = {
  decision: "deny",
  reason: "No user is there to approve calls of this agent.",
};
