/**
 * @fileoverview Error class and error codes of the application. Import them from this file.
 * @module src/types-global/errors
 */
export { BaseErrorCode, McpError } from "@tenon/app";
