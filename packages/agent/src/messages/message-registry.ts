/**
 * @fileoverview Registry of messages. Its type records every registered message, so lookups by message type are typed.
 * @module agent/message-registry
 */
import { findMessageProblems, type MessageDefinition, type MessageSchema } from "./define-message.js";
import { RegistrationError } from "../shared/errors.js";

/** Read-only access to registered messages. */
export interface MessageLookup {
  get(type: string): MessageDefinition | undefined;
  getAll(): readonly MessageDefinition[];
}

/** Lookup result: the exact definition if the compiler knows the message type, otherwise any one or `undefined`. */
export type FoundMessage<Messages, Type extends string> = string extends keyof Messages
  ? MessageDefinition | undefined
  : Type extends keyof Messages
    ? Messages[Type]
    : MessageDefinition | undefined;

/** `Messages` extended with one message. */
export type WithMessage<Messages, Message extends MessageDefinition> = Messages & {
  readonly [Type in Message["type"]]: Message;
};

/** Registry of messages. Types are unique. */
export class MessageRegistry<Messages extends object = {}> {
  readonly #messages = new Map<string, MessageDefinition>();

  /**
   * Registers a message. Returns the same registry, with the message added to its type.
   *
   * @throws {RegistrationError} if the definition is invalid or the type is taken
   */
  register<Message extends MessageDefinition>(
    message: Message,
  ): MessageRegistry<WithMessage<Messages, Message>> {
    const problems = findMessageProblems(message);
    if (problems.length > 0) throw new RegistrationError(describeMessage(message, problems));
    if (this.#messages.has(message.type)) {
      throw new RegistrationError(`Message type '${message.type}' is already registered`);
    }
    this.#messages.set(message.type, message);
    // The same registry, now with the message in its type.
    return this as unknown as MessageRegistry<WithMessage<Messages, Message>>;
  }

  /** Returns the definition that was registered for a type. */
  get<const Type extends string>(type: Type): FoundMessage<Messages, Type> {
    // `register` added every type in `Messages`.
    return this.#messages.get(type) as FoundMessage<Messages, Type>;
  }

  /** Checks if a message type is registered. */
  has(type: string): boolean {
    return this.#messages.has(type);
  }

  /** Returns all messages in registration order. */
  getAll(): readonly MessageDefinition[] {
    return [...this.#messages.values()];
  }

  /** Returns all message schemas. They can be members of `z.discriminatedUnion("type", …)`. */
  getAllSchemas(): readonly MessageSchema[] {
    return this.getAll().map(({ schema }) => schema);
  }

  /** Number of registered messages. */
  get size(): number {
    return this.#messages.size;
  }

  /** Creates a registry with the same definitions. Later registrations do not affect the other registry. */
  copy(): MessageRegistry<Messages> {
    const copy = new MessageRegistry<Messages>();
    for (const [type, message] of this.#messages) copy.#messages.set(type, message);
    return copy;
  }
}

function describeMessage(message: unknown, problems: readonly string[]): string {
  const { type } = Object(message) as { readonly type?: unknown };
  const named = typeof type === "string" && type !== "" ? ` '${type.slice(0, 128)}'` : "";
  return `Message definition${named} is invalid: ${problems.join("; ")}.`;
}
