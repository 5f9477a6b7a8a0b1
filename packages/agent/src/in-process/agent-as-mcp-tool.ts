/**
 * @fileoverview An agent as a tool of an MCP server. Its approvals and questions are passed on to the client's user.
 * @module agent/in-process/agent-as-mcp-tool
 */
import { randomUUID } from "node:crypto";
import {
  defineOptions,
  type OptionsOf,
  parseOptions,
  pickOptions,
} from "@tenon/internal/options/define-options";
import { callback, custom, text } from "@tenon/internal/options/option-rows";
import { type Call, form, type TaskMode, type ToolSpec } from "tenon";
import type { ToolHints } from "tenon/protocol";
import { z } from "zod";
import { ENDINGS } from "../messages/built-in-messages.js";
import type { AgentUser } from "../users/user.js";
import { describeStep, NOBODY } from "./agent-as-tool.js";
import type {
  AgentEvent,
  AgentInput,
  AgentRunOptions,
  AgentRunResult,
  Decision,
  PendingApproval,
} from "./run-options.js";

/** Agent that an MCP tool runs, such as an `AgentServer`. */
export interface McpAgent {
  run(input: AgentInput, options?: AgentRunOptions): Promise<AgentRunResult>;
  resume(taskId: string, options?: Omit<AgentRunOptions, "taskId">): Promise<AgentRunResult>;
  decide(
    call: { readonly taskId: string; readonly approvalId: string },
    decision: Decision & { readonly user?: AgentUser | undefined },
  ): Promise<void>;
}

const MCP_AGENT_OPTIONS = /* @__PURE__ */ defineOptions("toMcpAgent", {
  /** Description of the tool for the model. */
  description: text({ required: true }),
  /** Name of the tool for people. */
  title: text(),
  /** Hints for clients, such as `readOnlyHint`. */
  annotations: custom<ToolHints>({ aliases: ["hints"] }),
  /**
   * Runs the agent as a task for clients that support the Tasks extension. Add `tasks()` from `tenon/tasks` to the server.
   */
  task: custom<TaskMode>({ aliases: ["taskSupport"] }),
  /**
   * Returns the user for a call. The agent's tasks belong to this user.
   * @default the authenticated caller, or a user that all other callers share
   */
  toUser: callback<(call: Call) => AgentUser>({ default: principalOf }),
});

/** Options for `toMcpAgent`. */
export interface ToMcpAgentOptions extends OptionsOf<typeof MCP_AGENT_OPTIONS> {}

/**
 * Creates the options for an MCP tool that runs an agent. A client with forms is asked for the agent's approvals and
 * questions; for other clients, approvals are denied, and a question is the result.
 *
 * @example defineServer({ … }).extension(tasks()).tool("research", toMcpAgent(agent, { description: "…", task: "optional" }))
 */
export function toMcpAgent(
  agent: McpAgent,
  options: ToMcpAgentOptions,
): ToolSpec<unknown, typeof INPUT, typeof OUTPUT> {
  const { toUser, ...spec } = parseOptions(MCP_AGENT_OPTIONS, options);
  return {
    ...pickOptions(MCP_AGENT_OPTIONS, spec),
    description: spec.description,
    input: INPUT,
    output: OUTPUT,
    async handler({ message, taskId: given }, call) {
      const user = toUser(call);
      const taskId = await call.once("task", () => given ?? randomUUID());
      const run: McpRun = { agent, call, taskId, user };
      let result = await step(run, "run 0", (runOptions) => agent.run(message, { ...runOptions, taskId }));
      for (let round = 1; round <= MAX_ROUNDS; round++) {
        const next = await continueRun(run, result, round);
        if (next === undefined) break;
        result = next;
      }
      const { reason, text, problem } = result;
      return { taskId, reason, text: text !== "" || problem === null ? text : problem };
    },
  };
}

const INPUT = /* @__PURE__ */ z.object({
  message: z.string().min(1).max(1_000_000).describe("Task for the agent"),
  taskId: z
    .string()
    .max(200)
    .optional()
    .describe("ID of an earlier task of the agent, to continue the conversation with it"),
});

const OUTPUT = /* @__PURE__ */ z.object({
  taskId: z.string().describe("ID of the task, to continue the conversation with the agent"),
  reason: z.enum(ENDINGS).describe("Reason the agent stopped"),
  text: z.string().describe("Response of the agent"),
});

/** Maximum number of times that a user is asked. */
const MAX_ROUNDS = 50;

interface McpRun {
  readonly agent: McpAgent;
  readonly call: Call;
  readonly taskId: string;
  readonly user: AgentUser;
}

type ShownApproval = Pick<PendingApproval, "approvalId" | "toolName"> & { readonly params: string };

/** Part of a run's result that the handler needs. It is JSON, because it is stored while the user is asked. */
interface StepResult {
  readonly reason: AgentRunResult["reason"];
  readonly text: string;
  readonly problem: string | null;
  readonly approvals: readonly ShownApproval[];
}

/** Runs a part of the agent's work once, even if the handler runs again because the user was asked. */
function step(
  { call, user }: McpRun,
  key: string,
  work: (options: AgentRunOptions) => Promise<AgentRunResult>,
): Promise<StepResult> {
  return call.once(key, async () => {
    let steps = 0;
    const onEvent = (event: AgentEvent) => {
      const text = describeStep(event);
      if (text !== undefined) void call.progress(++steps, undefined, text);
    };
    const { reason, text, problem, approvals } = await work({ user, signal: call.signal, onEvent });
    return { reason, text, problem: problem ?? null, approvals: approvals.map(toShownApproval) };
  });
}

/** Asks the user what the agent needs to go on. Returns `undefined` if the agent is done. */
async function continueRun(
  run: McpRun,
  { reason, text, approvals }: StepResult,
  round: number,
): Promise<StepResult | undefined> {
  const { agent, call, taskId } = run;
  const canAsk = call.client.supports("form");
  if (reason === "approval") {
    const decisions = canAsk
      ? await Promise.all(approvals.map((approval) => askApproval(call, approval)))
      : [];
    return step(run, `run ${round}`, async (options) => {
      for (const [index, { approvalId }] of approvals.entries()) {
        await agent.decide({ taskId, approvalId }, { ...(decisions[index] ?? NOBODY), user: run.user });
      }
      return agent.resume(taskId, options);
    });
  }
  if (reason !== "question" || !canAsk) return undefined;
  const answer = await call.input(`question ${round}`, form({ message: text, schema: ANSWER }));
  if (answer.action !== "accept") return undefined;
  return step(run, `run ${round}`, (options) => agent.run(answer.content.answer, { ...options, taskId }));
}

const ANSWER = /* @__PURE__ */ z.object({ answer: z.string() });
const APPROVAL = /* @__PURE__ */ z.object({
  decision: z.enum(["approve", "deny", "always"]),
  reason: z.string().max(2_000).optional(),
});

async function askApproval(call: Call, approval: ShownApproval): Promise<Decision> {
  const { approvalId, toolName, params } = approval;
  if (params.length > MAX_PARAMS) return TOO_LONG;
  const message = `The agent wants to call ${toolName} with these parameters:\n${params}`;
  const answer = await call.input(`approval ${approvalId}`, form({ message, schema: APPROVAL }));
  return answer.action === "accept" ? answer.content : NOT_APPROVED;
}

function toShownApproval({ approvalId, toolName, params }: PendingApproval): ShownApproval {
  const text = JSON.stringify(params, undefined, 2) ?? "";
  return { approvalId, toolName, params: text.slice(0, MAX_PARAMS + 1) };
}

/** Maximum length of the parameters in a form. Users must see everything that they approve. */
const MAX_PARAMS = 4_000;
const NOT_APPROVED: Decision = { decision: "deny", reason: "The user did not approve." };
const TOO_LONG: Decision = { decision: "deny", reason: "The parameters are too long to show to the user." };

/** Owner of the tasks of callers that are not authenticated. They must not continue the tasks of users. */
const ANONYMOUS: AgentUser = /* @__PURE__ */ Object.freeze({ id: "anonymous MCP client" });

function principalOf({ auth }: Call): AgentUser {
  return auth === undefined ? ANONYMOUS : { id: auth.principal };
}
