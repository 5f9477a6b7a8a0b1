/**
 * @fileoverview Messages of a prompt, and of a sampling request.
 * @module cli/page-app/views/call/prompt-messages
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { Note } from "@tenon/ui/components/controls/badge.js";
import { ContentView } from "@tenon/ui/content/content-view.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import { readText, toLabel } from "../../state/text.js";

/** Properties of `PromptMessages`. */
export interface PromptMessagesProps {
  /** Object with `messages`, and an optional `description`. */
  readonly result: JsonObject;
  readonly onOpenResource?: ((uri: string) => void) | undefined;
}

const MAX_MESSAGES = 200;

/** Shows messages with their roles, as a model gets them. */
export function PromptMessages({ result, onOpenResource }: PromptMessagesProps) {
  const description = readText(result, "description");
  const messages: readonly unknown[] = Array.isArray(result["messages"]) ? result["messages"] : [];
  return (
    <div class="p-messages">
      {description !== undefined && <p class="t-quiet">{toLabel(description, 1_000)}</p>}
      {messages.length === 0 && <p class="t-quiet">No messages</p>}
      <ol class="p-messages__list">
        {messages.slice(0, MAX_MESSAGES).map((message, index) => (
          <Message key={index} message={message} onOpenResource={onOpenResource} />
        ))}
      </ol>
      {messages.length > MAX_MESSAGES && (
        <Note>{formatQuantity(messages.length - MAX_MESSAGES, "more message")} not shown.</Note>
      )}
    </div>
  );
}

interface MessageProps extends Pick<PromptMessagesProps, "onOpenResource"> {
  readonly message: unknown;
}

function Message({ message, onOpenResource }: MessageProps) {
  const role = isJsonObject(message) ? readText(message, "role") : undefined;
  return (
    <li class="p-message" data-role={role === "assistant" ? "assistant" : "user"}>
      <p class="p-message__role">{toLabel(role ?? "unknown role", 40)}</p>
      <ContentView
        content={isJsonObject(message) ? message["content"] : message}
        onOpenResource={onOpenResource}
      />
    </li>
  );
}
