/**
 * @fileoverview Options for conversations, and their defaults.
 * @module agent/conversation/options
 */

import { showValue } from "../shared/show-value.js";

/** Options for conversations. */
export interface ConversationOptions {
  /** Instructions at the beginning of the system prompt: the model's role, purpose and tone. */
  readonly instructions?: string;
  /**
   * Maximum number of model answers to one user message. After that the run stops, and `resume` allows as many
   * again.
   * @default 25
   */
  readonly maxSteps?: number;
  /**
   * Timeout of one tool call in milliseconds.
   * @default 300000
   */
  readonly toolTimeout?: number;
  /**
   * Maximum number of characters of a conversation that are sent to the model. The oldest turns of a longer one
   * are left out.
   * @default 400000
   */
  readonly maxContext?: number;
  /**
   * Milliseconds that a task continues after its last client has disconnected. Allows for a page reload.
   * @default 30000
   */
  readonly grace?: number;
  /**
   * Maximum number of tasks that run at the same time. A message that would start another run is refused.
   * @default 100
   */
  readonly maxRunning?: number;
  /**
   * Maximum number of stored tasks. Further tasks are refused.
   * @default 10000
   */
  readonly maxTasks?: number;
  /**
   * Maximum size of one task on disk in bytes. Further messages are refused.
   * @default 16777216
   */
  readonly maxTaskBytes?: number;
}

/** Resolved options. */
export type ConversationSettings = Readonly<Required<ConversationOptions>>;

/** Applies the defaults. @throws if an option is invalid */
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

/** Maximum delay of Node's timers. */
const MAX_NUMBER = 2_147_483_647;
