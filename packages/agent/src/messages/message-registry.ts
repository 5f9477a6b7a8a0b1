/**
 * @fileoverview The messages that an agent's server knows, by their types.
 * @module agent/message-registry
 */
import { findMessageProblems, type MessageDefinition, type MessageSchema } from "./define-message.js";
import { RegistrationError } from "../shared/errors.js";

/** Where messages are looked up. */
export interface MessageLookup {
  get(type: string): MessageDefinition | undefined;
  getAll(): readonly MessageDefinition[];
}

/** What a look-up by type gives: the very message where the compiler knows it, otherwise one or none. */
export type FoundMessage<Messages, Type extends string> = string extends keyof Messages
  ? MessageDefinition | undefined
  : Type extends keyof Messages
    ? Messages[Type]
    : MessageDefinition | undefined;

/** `Messages` and one more. */
export type WithMessage<Messages, Message extends MessageDefinition> = Messages & {
  readonly [Type in Message["type"]]: Message;
};

/** The messages that a server knows, by their types. */
export class MessageRegistry<Messages extends object = {}> {
  readonly #messages = new Map<string, MessageDefinition>();

  /**
   * Adds a message. The registry that comes back is the same one, with a type that knows the message.
   *
   * @throws {RegistrationError} where the definition is incomplete or the type is taken
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
    // The message is in it from here on.
    return this as unknown as MessageRegistry<WithMessage<Messages, Message>>;
  }

  /** The very definition that was registered under a type. */
  get<const Type extends string>(type: Type): FoundMessage<Messages, Type> {
    // `register` put every type that `Messages` knows into the map.
    return this.#messages.get(type) as FoundMessage<Messages, Type>;
  }

  /** Whether there is a message of that type. */
  has(type: string): boolean {
    return this.#messages.has(type);
  }

  /** All messages, in the order in which they were registered. */
  getAll(): readonly MessageDefinition[] {
    return [...this.#messages.values()];
  }

  /** The schemas of all messages, for `z.discriminatedUnion("type", …)`. */
  getAllSchemas(): readonly MessageSchema[] {
    return this.getAll().map(({ schema }) => schema);
  }

  /** How many messages there are. */
  get size(): number {
    return this.#messages.size;
  }

  /** A registry of its own with the same definitions: what is registered later in one is not in the other. */
  copy(): MessageRegistry<Messages> {
    const copy = new MessageRegistry<Messages>();
    for (const [type, message] of this.#messages) copy.#messages.set(type, message);
    return copy;
  }
}

function describeMessage(message: unknown, problems: readonly string[]): string {
  const { type } = Object(message) as { readonly type?: unknown };
  const named = typeof type === "string" && type !== "" ? ` '${type.slice(0, 128)}'` : "";
  return `Message definition${named} is incomplete: ${problems.join("; ")}`;
}
