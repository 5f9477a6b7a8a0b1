/**
 * @fileoverview Store of this process, and clients that use it over message ports, as worker processes do.
 * @module tests/tenon/support/transport/workers/linked
 */
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { createMemoryStore, type MemoryStoreOptions, type SharedStore } from "tenon/stores";
import {
  RpcChannel,
  type RpcLimits,
  type TextPort,
} from "../../../../src/transport/node/workers/rpc-channel.js";
import { createStoreClient } from "../../../../src/transport/node/workers/store-client.js";
import { StoreHost } from "../../../../src/transport/node/workers/store-host.js";

/** Client of a store, and its connection. */
export interface Linked {
  readonly store: SharedStore;
  /** Channel on the client's side. */
  readonly channel: RpcChannel;
  /** Port that sends texts to the host, past the client's channel. */
  readonly raw: MessagePort;
  /** Ends the connection, as if the client's process had ended. */
  readonly cut: () => void;
}

/** Converts a message port to a port for texts. */
export function toTextPort(port: MessagePort): TextPort {
  return {
    send(text, onSent) {
      port.postMessage(text);
      setImmediate(onSent);
    },
    onText: (listener) => void port.on("message", listener),
    onClose: (listener) => void port.once("close", listener),
  };
}

/** Creates a host for a store in memory. */
export function createHost(
  options: MemoryStoreOptions = {},
  maxProcesses = 1,
): { readonly host: StoreHost; readonly store: SharedStore } {
  const store = createMemoryStore(options);
  return { host: new StoreHost(store, maxProcesses), store };
}

/** Connects a client to a host. The client receives texts `delayMs` milliseconds late. */
export function link(host: StoreHost, limits: RpcLimits = {}, delayMs = 0): Linked {
  const { port1, port2 } = new MessageChannel();
  host.serve(new RpcChannel(toTextPort(port1), limits));
  const port = toTextPort(port2);
  const onText: TextPort["onText"] = (listener) =>
    port.onText((text) => (delayMs === 0 ? listener(text) : void setTimeout(listener, delayMs, text)));
  const channel = new RpcChannel({ ...port, onText });
  return { store: createStoreClient(channel), channel, raw: port2, cut: () => port2.close() };
}
