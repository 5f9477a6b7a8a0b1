/**
 * @fileoverview Conversation options and their defaults.
 * @module agent/conversation/options
 */

import { isJsonObject } from "@tenon/internal/json";
import type { Logger } from "tenon";
import { showValue } from "../shared/show-value.js";
import { type AgentTelemetry, NO_TELEMETRY } from "../telemetry/agent-telemetry.js";
import { type ApprovalPolicy, isApprovalRule } from "../tools/approval-policy.js";
import type { TokenBudgets } from "./tasks/meter.js";

/** Options for conversations with the model. */
export interface ConversationOptions {
  /** Beginning of the system prompt: the model's role, purpose, and tone. @default a short generic introduction */
  readonly instructions?: string;
  /**
   * Maximum number of model responses per user message. When the limit is reached, the run stops. `resume` continues it
   * with a new limit.
   * @default 25
   */
  readonly maxSteps?: number;
  /**
   * Timeout for a tool call, in milliseconds.
   * @default 300000
   */
  readonly toolTimeout?: number;
  /**
   * Maximum length of the conversation that is sent to the model, in characters. Before a conversation reaches the limit,
   * the model summarizes its start. If that fails, the oldest messages are omitted.
   * @default 400000
   */
  readonly maxContext?: number;
  /**
   * Maximum length of a tool's result that the model receives at once, in characters. A longer result is stored, and the
   * model reads it in pages.
   * @default 50000
   */
  readonly maxResult?: number;
  /**
   * Rule for tool calls: run them at once, ask the user, or reject them. Applies to tools without a rule of their own.
   * @default tools of MCP servers ask unless they are marked as read-only, and all other tools run at once
   */
  readonly approval?: ApprovalPolicy;
  /** Receives warnings and errors of runs. @default the logger of `start`, if any */
  readonly logger?: Logger;
  /** Name of the agent in telemetry. @default none */
  readonly name?: string;
  /** Receives spans and metrics, as created by `loadAgentTelemetry`. @default none */
  readonly telemetry?: AgentTelemetry;
  /** Limits on tokens. A limit stops a run before the next model call. @default no limits */
  readonly budgets?: TokenBudgets;
  /**
   * Time that a task continues to run after its last client disconnects, in milliseconds. Allows for a page reload.
   * @default 30000
   */
  readonly grace?: number;
  /**
   * Maximum number of tasks that run at the same time. At the limit, messages that would start a run are rejected.
   * @default 100
   */
  readonly maxRunning?: number;
  /**
   * Maximum number of tasks of one user that run at the same time. Applies to servers that identify users.
   * @default 20
   */
  readonly maxRunningPerUser?: number;
  /**
   * Maximum number of stored tasks, including subtasks.
   * @default 10000
   */
  readonly maxTasks?: number;
  /**
   * Action at `maxTasks`: archive or delete the oldest idle task, or reject the new one. Archived tasks are in the folder
   * `.archive`.
   * @default "archive"
   */
  readonly whenFull?: "archive" | "delete" | "reject";
  /**
   * Maximum size of a task on disk, in bytes. At the limit, new messages are rejected.
   * @default 16777216
   */
  readonly maxTaskBytes?: number;
}

/** Options with all defaults applied. */
export type ConversationSettings = Readonly<
  Required<Omit<ConversationOptions, "approval" | "name" | "logger">>
> & {
  readonly logger: Logger | undefined;
  readonly name: string | undefined;
  readonly approval: ApprovalPolicy | undefined;
};

/** Validates the options and applies the defaults. @throws if an option is invalid */
export function resolveConversationOptions(options: ConversationOptions = {}): ConversationSettings {
  const { instructions = "", approval, budgets = {}, whenFull = "archive", name: agentName } = options;
  const { telemetry = NO_TELEMETRY, logger } = options;
  if (typeof instructions !== "string")
    throw new Error(`\`instructions\` must be a string; got ${showValue(instructions)}.`);
  if (approval !== undefined && typeof approval !== "function" && !isApprovalRule(approval))
    throw new Error(`\`approval\` must be "auto", "ask", "deny", or a function; got ${showValue(approval)}.`);
  if (!WHEN_FULL.includes(whenFull))
    throw new Error(`\`whenFull\` must be one of ${WHEN_FULL.join(", ")}; got ${showValue(whenFull)}.`);
  const numbers = { ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
    numbers[name] = toInteger(name, options[name] ?? DEFAULTS[name], LEAST[name] ?? 1);
  }
  const texts = { instructions, name: agentName };
  return Object.freeze({
    ...texts,
    approval,
    logger,
    telemetry,
    budgets: checkBudgets(budgets),
    whenFull,
    ...numbers,
  });
}

function checkBudgets(budgets: TokenBudgets): TokenBudgets {
  if (!isJsonObject(budgets)) throw new Error(`\`budgets\` must be an object; got ${showValue(budgets)}.`);
  const { run, task, userPerDay, ...others } = budgets as TokenBudgets & Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new Error(`\`budgets\` can contain "run", "task", and "userPerDay"; got ${showValue(unknown)}.`);
  for (const [name, limit] of Object.entries({ run, task, userPerDay })) {
    if (limit !== undefined) toInteger(`budgets.${name}`, limit, 1, Number.MAX_SAFE_INTEGER);
  }
  return { run, task, userPerDay };
}

function toInteger(name: string, value: number, ...[least, most = MAX_NUMBER]: [number, number?]): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`\`${name}\` must be an integer from ${least} to ${most}; got ${showValue(value)}.`);
}

const LEAST: Partial<Record<keyof typeof DEFAULTS, number>> = { grace: 0, maxResult: 1_000 };

const WHEN_FULL: readonly string[] = ["archive", "delete", "reject"];

const DEFAULTS = {
  maxSteps: 25,
  toolTimeout: 300_000,
  maxContext: 400_000,
  maxResult: 50_000,
  grace: 30_000,
  maxRunning: 100,
  maxRunningPerUser: 20,
  maxTasks: 10_000,
  maxTaskBytes: 16_777_216,
};

/** Maximum delay of a Node.js timer, in milliseconds. Used as the limit for all options. */
const MAX_NUMBER = 2_147_483_647;
