/**
 * @fileoverview Task ids. They become folder names, so they must not contain characters that have a meaning in
 * paths.
 * @module agent/storage/task-id
 */

/** Checks a task id: 1 to 128 letters, digits, `_` or `-`, and not a Windows device name. */
export function isTaskId(text: unknown): text is string {
  return typeof text === "string" && NAME.test(text) && !DEVICE.test(text);
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** Names that Windows reserves for devices in every folder. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;
