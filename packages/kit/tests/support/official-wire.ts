/**
 * @fileoverview Contract suite transport on the official client's HTTP transport, in both eras.
 * @module tests/kit/support/official-wire
 */
import { type FetchLike, SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { JsonObject } from "@tenon/internal/json";
import { type Revision, TRAITS } from "tenon/protocol";
import type { OpenClient, Wire } from "../../../../tests/support/contract/transport-client.js";
import { clientOn } from "../../../../tests/support/contract/transport-client.js";

/** Application that serves the contract server until it is closed. */
export interface Mounted {
  readonly url: string;
  /** Replaces the network. */
  readonly fetch?: (request: Request) => Promise<Response> | Response;
  close(): Promise<unknown>;
}

/** Creates a client that uses the official transport. */
export function officialClientOn(mount: () => Promise<Mounted>): OpenClient {
  return clientOn(async (revision, take) => openOfficialWire(await mount(), revision, take));
}

async function openOfficialWire(
  mounted: Mounted,
  revision: Revision,
  take: (message: JsonObject) => void,
): Promise<Wire> {
  const { stateless } = TRAITS[revision];
  const { fetch } = mounted;
  const local: FetchLike | undefined = fetch && (async (url, init) => fetch(new Request(url, init)));
  const transport = new StreamableHTTPClientTransport(
    new URL(mounted.url),
    local === undefined ? {} : { fetch: local },
  );
  transport.onmessage = (message) => take(message);
  await transport.start();
  return {
    cancelsByLeaving: stateless,
    async send(message, signal) {
      const requestSignal = stateless ? signal : undefined;
      try {
        await transport.send(message as never, requestSignal === undefined ? {} : { requestSignal });
      } catch (error) {
        // The client reports some rejected requests as HTTP errors, which contain the message.
        const text: unknown = error instanceof SdkHttpError ? error.data.text : undefined;
        if (typeof text !== "string" || text === "") throw error;
        take(JSON.parse(text) as JsonObject);
      }
      if (message["method"] === "initialize" && TRAITS[revision].versionHeader) {
        transport.setProtocolVersion(revision);
      }
    },
    async close() {
      await transport.terminateSession();
      await transport.close();
      await mounted.close();
    },
  };
}
