/**
 * @fileoverview Hides credentials in HTTP headers that are shown or recorded.
 * @module internal/security/secret-headers
 */
import { REDACTED } from "./redact-text.js";
import { isSecretName } from "./secret-names.js";

/**
 * Returns a header's value as it can be shown. The values of credentials, such as `Authorization` and cookies, are
 * replaced.
 *
 * @param name name in lower case
 */
export function showHeader(name: string, value: string): string {
  // MCP's own headers repeat the body, and those of CORS only describe credentials.
  if (/^(?:mcp-|access-control-)/.test(name) || !isSecretName(name)) return value;
  // The scheme of an `Authorization` header is not secret.
  return `${/^(?:Basic|Bearer|DPoP) /i.exec(value)?.[0] ?? ""}${REDACTED}`;
}
