/**
 * @fileoverview Conversation options and their defaults.
 * @module agent/conversation/options
 */

import { showValue } from "../shared/show-value.js";

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
   * Maximum length of the conversation that is sent to the model, in characters. If a conversation is longer, its
   * oldest messages are omitted.
   * @default 400000
   */
  readonly maxContext?: number;
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
   * Maximum number of stored tasks, including subtasks. At the limit, new tasks are rejected.
   * @default 10000
   */
  readonly maxTasks?: number;
  /**
   * Maximum size of a task on disk, in bytes. At the limit, new messages are rejected.
   * @default 16777216
   */
  readonly maxTaskBytes?: number;
}

/** Options with all defaults applied. */
export type ConversationSettings = Readonly<Required<ConversationOptions>>;

/** Validates the options and applies the defaults. @throws if an option is invalid */
export function resolveConversationOptions(options: ConversationOptions = {}): ConversationSettings {
  const { instructions = "" } = options;
  if (typeof instructions !== "string")
    throw new Error(`\`instructions\` must be a string; got ${showValue(instructions)}.`);
  const settings = { instructions, ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
    const value = options[name] ?? DEFAULTS[name];
    const least = name === "grace" ? 0 : 1;
    if (!Number.isInteger(value) || value < least || value > MAX_NUMBER) {
      throw new Error(
        `\`${name}\` must be an integer from ${least} to ${MAX_NUMBER}; got ${showValue(value)}.`,
      );
    }
    settings[name] = value;
  }
  return Object.freeze(settings);
}

const DEFAULTS = {
  maxSteps: 25,
  toolTimeout: 300_000,
  maxContext: 400_000,
  grace: 30_000,
  maxRunning: 100,
  maxTasks: 10_000,
  maxTaskBytes: 16_777_216,
};

/** Maximum delay of a Node.js timer, in milliseconds. Used as the limit for all options. */
const MAX_NUMBER = 2_147_483_647;
