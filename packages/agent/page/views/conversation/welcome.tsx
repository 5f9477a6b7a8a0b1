/**
 * @fileoverview Empty conversation, with suggestions for the first message.
 * @module agent/page-app/views/conversation/welcome
 */
import { useApp } from "../../app-context.js";

/** Greets the user, and suggests first messages. */
export function Welcome({ onSuggestion }: { readonly onSuggestion: (text: string) => void }) {
  const { config, canWrite, link } = useApp();
  const isReady = link.state.value.connection === "open";
  return (
    <div class="a-scroller a-welcome">
      <div class="a-welcome__content">
        <span class="a-side__mark a-welcome__mark" aria-hidden="true" />
        <h2 class="a-welcome__title">{config.greeting}</h2>
        {canWrite.value && config.suggestions.length > 0 && (
          <ul class="a-welcome__suggestions" aria-label="Suggestions">
            {config.suggestions.map((text) => (
              <li key={text}>
                <button
                  type="button"
                  class="a-suggestion"
                  disabled={!isReady}
                  onClick={() => onSuggestion(text)}
                >
                  {text}
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
