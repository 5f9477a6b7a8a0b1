/**
 * @fileoverview Task IDs. They become folder names, so they must not contain characters that are special in paths.
 * @module agent/storage/task-id
 */

/** Requirement for task IDs, for error messages. */
export const TASK_ID_RULE =
  "1 to 128 characters long (letters, digits, underscores, and hyphens), start with a letter or digit, and not be a Windows device name";

/** Returns true if a value is a valid task ID. */
export function isTaskId(text: unknown): text is string {
  return typeof text === "string" && NAME.test(text) && !DEVICE.test(text);
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** Device names that Windows reserves in every folder. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
