/**
 * @fileoverview The application's error class and error codes. Import them from this file.
 * @module src/types-global/errors
 */
export { BaseErrorCode, McpError } from "@tenon/app";
