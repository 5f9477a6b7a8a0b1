/**
 * @fileoverview How conversations are held: what may be said beside the model, and what stands where nothing was.
 * @module agent/conversation/options
 */

/** How conversations are held. */
export interface ConversationOptions {
  /** What the model is told first: who it is, what it is for, how it should speak. */
  readonly instructions?: string;
  /**
   * Answers of the model to one message of a user; after that it stops, and `resume` gives as many again.
   * @default 25
   */
  readonly maxSteps?: number;
  /**
   * Milliseconds that one call of a tool may take.
   * @default 300000
   */
  readonly toolTimeout?: number;
  /**
   * Characters of a conversation that the model is given: of a longer one the oldest turns are left out.
   * @default 400000
   */
  readonly maxContext?: number;
  /**
   * Milliseconds that a task goes on after its last client is gone: long enough for a page to be loaded again.
   * @default 30000
   */
  readonly grace?: number;
  /**
   * Tasks that may run at once; a message to another is refused.
   * @default 100
   */
  readonly maxRunning?: number;
  /**
   * Tasks that may be stored; another is refused.
   * @default 10000
   */
  readonly maxTasks?: number;
  /**
   * Bytes that one task may have on disk; what is beyond is refused.
   * @default 16777216
   */
  readonly maxTaskBytes?: number;
}

/** How conversations are held, with everything said. */
export type ConversationSettings = Readonly<Required<ConversationOptions>>;

/** Puts in what was not said. @throws naming the option that is wrong */
export function resolveConversationOptions(options: ConversationOptions = {}): ConversationSettings {
  const { instructions = "" } = options;
  if (typeof instructions !== "string") throw new Error("instructions must be text");
  const settings = { instructions, ...DEFAULTS };
  for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
    const value = options[name] ?? DEFAULTS[name];
    const least = name === "grace" ? 0 : 1;
    if (!Number.isInteger(value) || value < least || value > MAX_NUMBER) {
      throw new Error(`${name} must be a whole number from ${least} to ${MAX_NUMBER}, not ${value}`);
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

/** The longest delay that Node's timers know. */
const MAX_NUMBER = 2_147_483_647;
