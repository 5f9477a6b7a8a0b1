/**
 * @fileoverview Extensions that are attached to a server, so that they can run its tools and take part in
 * `tools/call` and `subscriptions/listen`. Only extensions in this package can be attached.
 * @module tenon/core/definitions/attached-extension
 */
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { ResultEncoder, Revision } from "../../protocol/index.js";
import type { Incoming, Services } from "../call/incoming.js";
import type { OperationKind } from "../call/operation.js";
import type { ClusterLink } from "../wire/cluster-link.js";
import type { Extension, ExtensionMethod } from "./extension.js";
import type { ToolEntry } from "./tool.js";

/** Extension that needs access to its server. */
export interface AttachableExtension extends Extension {
  /** Attaches the extension to a server. Called once per server. */
  readonly attach: (host: ExtensionHost) => AttachedExtension;
}

/** Access to a server for an attached extension. Definitions are those of the server's current snapshot. */
export interface ExtensionHost {
  /** Name of the server. */
  readonly name: string;
  readonly services: Services;
  readonly findTool: (name: string) => ToolEntry | undefined;
  readonly encoderOf: (revision: Revision) => ResultEncoder;
}

/** Functions that an attached extension adds to its server. */
export interface AttachedExtension {
  readonly methods?: Readonly<Record<string, ExtensionMethod>>;
  /** Runs tools that have a `task` option. */
  readonly taskKind?: OperationKind<ToolEntry, unknown>;
  readonly listen?: ListenHook;
  /** Links the extension to the other nodes. Called before `start`, if the transport has a shared store. */
  readonly useCluster?: (link: ClusterLink) => void;
  /** Starts work that does not wait for a request. Called when a transport starts. */
  readonly start?: () => void;
  /** Resolves when the work of a closed server has ended. */
  readonly idle?: () => Promise<void>;
}

/**
 * Reads the extension's own filter from the `notifications` of `subscriptions/listen`.
 *
 * @throws {McpError} if the filter is invalid
 */
export type ListenHook = (
  notifications: JsonObject,
  incoming: Incoming,
) => MaybePromise<ListenSource | undefined>;

/** Notifications that an extension sends on one `subscriptions/listen` stream. */
export interface ListenSource {
  /** Members of the acknowledgement: the part of the filter that the extension accepted. */
  readonly accepted: JsonObject;
  /** Starts sending, after the acknowledgement. The returned function stops it. */
  open(send: (method: string, params: JsonObject) => Promise<void>): () => void;
}

/** The attached extensions of one server and its views. */
export class Attachments {
  readonly #attached = new Map<Extension, AttachedExtension>();
  #host: ExtensionHost | undefined;

  /** Sets the server. Later calls have no effect, so views keep the server that they belong to. */
  connect(host: ExtensionHost): void {
    this.#host ??= host;
  }

  /** Returns what an extension adds to the server. Attaches the extension on the first call. */
  of(extension: Extension): AttachedExtension {
    const known = this.#attached.get(extension);
    if (known !== undefined) return known;
    const host = this.#host;
    const attached = isAttachable(extension) && host !== undefined ? extension.attach(host) : NOTHING;
    this.#attached.set(extension, attached);
    return attached;
  }

  /** Resolves when the work of all extensions of a closed server has ended. */
  async idle(): Promise<void> {
    for (const { idle } of this.#attached.values()) await idle?.();
  }

  /** Links all attached extensions to the other nodes. */
  useCluster(link: ClusterLink): void {
    for (const { useCluster } of this.#attached.values()) useCluster?.(link);
  }

  /** Starts all attached extensions. */
  start(): void {
    for (const { start } of this.#attached.values()) start?.();
  }
}

const NOTHING: AttachedExtension = {};

function isAttachable(extension: Extension): extension is AttachableExtension {
  return "attach" in extension;
}
