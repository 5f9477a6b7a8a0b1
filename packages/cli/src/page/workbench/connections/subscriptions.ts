/**
 * @fileoverview Changes that the page is notified of: lists, and the resources that the user has subscribed to. Sessions
 * send changes of lists without a request, and stateless revisions through a stream.
 * @module cli/page/workbench/connections/subscriptions
 */
import { ClientError, ConnectionError } from "tenon/client";
import { CommandError } from "../../command-error.js";
import type { CallContext } from "./call-context.js";
import type { EraClient } from "./connections.js";

/** Maximum number of subscribed resources. */
const MAX_URIS = 100;

/** Settings for `Subscriptions`. */
export interface SubscriptionSettings {
  readonly context: CallContext;
  /** Called if the stream of changes has failed because the connection is lost. */
  readonly onLost: (client: EraClient, error: unknown) => void;
  /** Called with the subscribed resources after each change. */
  readonly onChange: (uris: readonly string[]) => void;
}

/** Subscriptions on the page's first client. */
export class Subscriptions {
  readonly #settings: SubscriptionSettings;
  readonly #uris = new Set<string>();
  #client: EraClient | undefined;
  #stop: (() => void) | undefined;

  constructor(settings: SubscriptionSettings) {
    this.#settings = settings;
  }

  /** Subscribes a new client to the same changes. */
  use(client: EraClient): void {
    this.#client = client;
    if (client.era === "modern") this.#listen(client);
    else for (const uri of this.#uris) void this.#renew(client, uri);
  }

  /** Subscribes to a resource, or ends the subscription. @throws {CommandError} if there is no connection */
  async set(uri: string, isOn: boolean): Promise<void> {
    const client = this.#client;
    if (client === undefined) throw new CommandError(409, "The page is not connected to the server.");
    if (isOn && !this.#uris.has(uri) && this.#uris.size >= MAX_URIS)
      throw new CommandError(409, `Too many subscriptions (limit: ${MAX_URIS}). End one of them.`);
    if (client.era === "legacy") await this.#request(client, uri, isOn);
    if (isOn) this.#uris.add(uri);
    else this.#uris.delete(uri);
    this.#publish();
    if (client.era === "modern") this.#listen(client);
  }

  /** Ends the stream of changes. */
  close(): void {
    this.#stop?.();
    this.#client = undefined;
  }

  /** Subscribes again. A server that rejects it has no such subscription. */
  async #renew(client: EraClient, uri: string): Promise<void> {
    try {
      await this.#request(client, uri, true);
    } catch (error) {
      if (error instanceof ClientError && this.#client === client && this.#uris.delete(uri)) this.#publish();
    }
  }

  #publish(): void {
    this.#settings.onChange([...this.#uris]);
  }

  async #request({ client }: EraClient, uri: string, isOn: boolean): Promise<void> {
    await client.request(isOn ? "resources/subscribe" : "resources/unsubscribe", { uri });
  }

  #listen(client: EraClient): void {
    const { context, onLost } = this.#settings;
    this.#stop?.();
    const filter = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(this.#uris.size === 0 ? {} : { resourceSubscriptions: [...this.#uris] }),
    };
    const { ended, stop } = context.outside(() => client.client.listen(filter));
    this.#stop = stop;
    // A server without this method sends no changes. The user can list the definitions again.
    ended.catch((error: unknown) => {
      if (error instanceof ConnectionError && this.#client === client) onLost(client, error);
    });
  }
}
