/**
 * @fileoverview Message registry. Its TypeScript type tracks every registered message, so lookups are type-safe.
 * @module agent/message-registry
 */
import { findMessageProblems, type MessageDefinition, type MessageSchema } from "./define-message.js";
import { RegistrationError } from "../shared/errors.js";

/** Read-only access to registered messages. */
export interface MessageLookup {
  get(type: string): MessageDefinition | undefined;
  getAll(): readonly MessageDefinition[];
}

/**
 * Lookup result: the exact definition if the message type is known at compile time, otherwise
 * `MessageDefinition | undefined`.
 */
export type FoundMessage<Messages, Type extends string> = string extends keyof Messages
  ? MessageDefinition | undefined
  : Type extends keyof Messages
    ? Messages[Type]
    : MessageDefinition | undefined;

/** `Messages` extended with one message. */
export type WithMessage<Messages, Message extends MessageDefinition> = Messages & {
  readonly [Type in Message["type"]]: Message;
};

/** Message registry. Message types are unique. */
export class MessageRegistry<Messages extends object = {}> {
  readonly #messages = new Map<string, MessageDefinition>();

  /**
   * Registers a message. Returns the same registry, typed to include the message.
   *
   * @throws {RegistrationError} if the definition is invalid or the message type is already registered
   */
  register<Message extends MessageDefinition>(
    message: Message,
  ): MessageRegistry<WithMessage<Messages, Message>> {
    const problems = findMessageProblems(message);
    if (problems.length > 0) throw new RegistrationError(describeMessage(message, problems));
    if (this.#messages.has(message.type)) {
      // The requirements define this text, including the missing period.
      throw new RegistrationError(`Message type '${message.type}' is already registered`);
    }
    this.#messages.set(message.type, message);
    // Safe: this is the same registry, typed to include the message.
    return this as unknown as MessageRegistry<WithMessage<Messages, Message>>;
  }

  /** Returns the definition registered for a message type, or `undefined` if there is none. */
  get<const Type extends string>(type: Type): FoundMessage<Messages, Type> {
    // Safe: `register` adds every type in `Messages`.
    return this.#messages.get(type) as FoundMessage<Messages, Type>;
  }

  /** Returns true if a message type is registered. */
  has(type: string): boolean {
    return this.#messages.has(type);
  }

  /** Returns all messages in registration order. */
  getAll(): readonly MessageDefinition[] {
    return [...this.#messages.values()];
  }

  /** Returns all message schemas. Pass them to `z.discriminatedUnion("type", …)`. */
  getAllSchemas(): readonly MessageSchema[] {
    return this.getAll().map(({ schema }) => schema);
  }

  /** Number of registered messages. */
  get size(): number {
    return this.#messages.size;
  }

  /** Creates an independent copy. Later registrations in one registry do not affect the other. */
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
