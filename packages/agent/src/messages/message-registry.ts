/**
 * @fileoverview Message registry. Its TypeScript type tracks every registered message, so lookups are type-safe.
 * @module agent/messages/message-registry
 */
import { Registry } from "../shared/registry.js";
import { findMessageProblems, type MessageDefinition, type MessageSchema } from "./define-message.js";

/** `Messages` extended with one message. */
export type WithMessage<Messages, Message extends MessageDefinition> = Messages & {
  readonly [Type in Message["type"]]: Message;
};

/** Message registry. Message types are unique. */
export class MessageRegistry<Messages extends object = {}> extends Registry<MessageDefinition, Messages> {
  /**
   * Registers a message. Returns the same registry, typed to include the message.
   *
   * @throws {RegistrationError} if the definition is invalid or the message type is already registered
   */
  register<Message extends MessageDefinition>(
    message: Message,
  ): MessageRegistry<WithMessage<Messages, Message>> {
    const { type: name } = Object(message) as Partial<MessageDefinition>;
    this.add(message, { name, problems: findMessageProblems(message), words: WORDS });
    // Safe: this is the same registry, typed to include the message.
    return this as unknown as MessageRegistry<WithMessage<Messages, Message>>;
  }

  /** Returns all message schemas. Pass them to `z.discriminatedUnion("type", …)`. */
  getAllSchemas(): readonly MessageSchema[] {
    return this.getAll().map(({ schema }) => schema);
  }

  /** Creates an independent copy. Later registrations in one registry do not affect the other. */
  copy(): MessageRegistry<Messages> {
    return new MessageRegistry<Messages>().addAll(this);
  }
}

const WORDS = { definition: "Message definition", name: "Message type" };
