/**
 * @fileoverview Handles "URL elicitation required" errors, with which a callback says that the user must open a page
 * first. The stateless revision does not have this error: the client opens the pages, and the callback runs again.
 * @module sdk/mcp-server/requests/url-elicitation
 */
import type { Call } from "tenon/host";
import { isJsonObject } from "@tenon/internal/json";
import { read } from "@tenon/internal/security/safe-text";

/** Error code of "URL elicitation required". It must not be sent in the stateless revision. */
export const URL_ELICITATION_REQUIRED = -32042;

/** Maximum number of pages in one error. */
const MAX_PAGES = 100;

/**
 * Asks the client to open the pages that an error names. Until the client has responded, the returned promise rejects
 * with the core's interrupt, and the callback runs again in the next round.
 */
export async function askForPages(call: Call, error: unknown): Promise<void> {
  const data = read(error, "data");
  const found: unknown = isJsonObject(data) ? data["elicitations"] : undefined;
  const pages = (Array.isArray(found) ? found : []).slice(0, MAX_PAGES).filter(isJsonObject);
  const asked = pages.map(({ message, url, elicitationId }) =>
    call.input(`url-${String(elicitationId)}`, {
      kind: "url",
      message: String(message),
      url: String(url),
    }),
  );
  await Promise.all(asked);
}
