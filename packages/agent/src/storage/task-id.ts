/**
 * @fileoverview IDs of tasks, users, and stored results. Task and result IDs become file names, so they must not contain
 * characters that are special in paths.
 * @module agent/storage/task-id
 */

/** Requirement for task IDs, for error messages. */
export const TASK_ID_RULE =
  "1 to 128 characters long (letters, digits, underscores, and hyphens), start with a letter or digit, and not be a Windows device name";

/** Returns true if a value is a valid task ID. */
export function isTaskId(text: unknown): text is string {
  return typeof text === "string" && NAME.test(text) && !DEVICE.test(text);
}

/**
 * Returns true if a value is a valid user ID: 1 to 1,600 characters, without control and format characters, line
 * separators, and lone surrogates.
 */
export function isUserId(text: unknown): text is string {
  return typeof text === "string" && text.length <= MAX_USER_ID && USER.test(text);
}

/** Returns true if a value is the ID of a stored result: a UUID. */
export function isResultId(text: unknown): text is string {
  return typeof text === "string" && UUID.test(text);
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** Device names that Windows reserves in every folder. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

const USER = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+$/u;

/** Maximum length of a user ID. Three names of 512 characters and their separators fit. */
const MAX_USER_ID = 1_600;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
