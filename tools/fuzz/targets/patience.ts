/**
 * @fileoverview Time limits for replies. They are long in a run, for slow machines, and short while a failing input is
 * reduced.
 * @module tools/fuzz/targets/patience
 */

/** Time limits in milliseconds. */
export const patience = {
  /** Time within which the last request of a connection must get its reply. */
  replyMs: 120_000,
  /** Time for replies that are missing after the last one. */
  lateMs: 60_000,
};

/** Runs a function with short time limits. */
export async function withLittlePatience<T>(run: () => Promise<T>): Promise<T> {
  const usual = { ...patience };
  Object.assign(patience, { replyMs: 3_000, lateMs: 200 });
  try {
    return await run();
  } finally {
    Object.assign(patience, usual);
  }
}
