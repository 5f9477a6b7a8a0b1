/**
 * @fileoverview Names of tasks. A task's name becomes a folder's, so nothing that a path could be made of gets in.
 * @module agent/storage/task-id
 */

/** Whether a text may name a task: 1 to 128 letters, digits, `_` or `-`, and no device of Windows. */
export function isTaskId(text: unknown): text is string {
  return typeof text === "string" && NAME.test(text) && !DEVICE.test(text);
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** Windows opens devices under these names in every folder. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
