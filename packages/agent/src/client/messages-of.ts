/**
 * @fileoverview Type of a server's registered messages, for the client.
 * @module agent/client/messages-of
 */
import type { z } from "zod";
import type { MessageDefinition } from "../messages/define-message.js";
import type { MessageRegistry } from "../messages/message-registry.js";

/**
 * Data of the registered messages of a server, by type. It is the form in JSON, before defaults and transforms.
 *
 * @example createAgentClient<MessagesOf<typeof server>>({ url })
 */
export type MessagesOf<Server extends { readonly messages: object }> =
  Server["messages"] extends MessageRegistry<infer Messages>
    ? {
        readonly [Type in keyof Messages]: Messages[Type] extends MessageDefinition<string, infer Data>
          ? z.input<Data>
          : never;
      }
    : never;
