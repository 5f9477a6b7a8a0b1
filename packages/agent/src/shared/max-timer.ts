/**
 * @fileoverview Limit of timers in JavaScript.
 * @module agent/shared/max-timer
 */

/** Maximum delay of a timer, in milliseconds. A timer with a longer delay fires immediately. */
export const MAX_TIMER = 2_147_483_647;
