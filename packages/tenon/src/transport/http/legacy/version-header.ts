/**
 * @fileoverview Reads the version header of legacy requests.
 * @module tenon/transport/http/legacy/version-header
 */
import { printable } from "@tenon/internal/text";
import { errorResponse } from "../../../core/wire/response.js";
import { type Revision } from "../../../protocol/index.js";
import { findRevision, PROTOCOL_VERSION } from "../../../protocol/revisions/revision.js";
import type { HttpContext } from "../http-context.js";
import { refuse } from "../refusals.js";

/** Reads version headers. The last one is cached, because a client sends the same header with every request. */
export class VersionHeader {
  readonly #supported: readonly Revision[];
  #lastVersion: string | undefined;
  #lastRevision: Revision | undefined;

  /** @param supported revisions to list in errors */
  constructor(supported: readonly Revision[]) {
    this.#supported = supported;
  }

  /** Returns the revision in the header, or the default if the header is missing. Rejects unsupported revisions. */
  read(context: HttpContext<unknown>): Revision | undefined {
    const { version } = context;
    if (version === undefined || version === null) return PROTOCOL_VERSION;
    if (version === this.#lastVersion) return this.#lastRevision;
    const named = findRevision("legacy", version.trim());
    if (named === undefined) {
      this.#refuse(context, version);
      return undefined;
    }
    this.#lastVersion = version;
    this.#lastRevision = named;
    return named;
  }

  #refuse(context: HttpContext<unknown>, version: string): void {
    const supported = this.#supported;
    const requested = printable(version);
    // The other messages of the supported stateless revisions are not handled as legacy messages.
    if (supported.some((one) => one === version.trim())) return refuse(context, 400, noBatches(requested));
    context.reply(
      400,
      errorResponse(null, {
        error: "UNSUPPORTED_VERSION",
        message: `Unsupported protocol version "${requested}". Supported versions: ${supported.join(", ")}.`,
        data: { supported, requested },
        era: "legacy",
      }),
    );
  }
}

function noBatches(version: string): string {
  return `Protocol version ${version} has no batches, and clients do not send responses. Send each request separately.`;
}
