/**
 * @fileoverview Question of the model, with suggested answers.
 * @module agent/page-app/views/cards/question-card
 */
import { Icon } from "@tenon/ui/icons/icon.js";
import { Markdown } from "@tenon/ui/markdown/markdown.js";
import type { ItemOf } from "../../state/items/item.js";
import { toLabel } from "../../state/text.js";

/** Properties of `QuestionCard`. */
export interface QuestionCardProps {
  readonly item: ItemOf<"question">;
  /** True while the question is not answered. */
  readonly canAnswer: boolean;
  readonly onAnswer: (text: string) => void;
}

const MAX_OPTIONS = 20;

/** Question of the model. A click on a suggested answer sends it. */
export function QuestionCard({ item, canAnswer, onAnswer }: QuestionCardProps) {
  return (
    <section class="a-question" aria-label="Question">
      <div class="a-question__text">
        <Icon name="question" />
        <Markdown text={item.text} headingLevel={3} />
      </div>
      {canAnswer && item.options.length > 0 && (
        <div class="a-question__options" role="group" aria-label="Suggested answers">
          {item.options.slice(0, MAX_OPTIONS).map((option, index) => (
            <button
              key={index}
              type="button"
              class="a-suggestion"
              data-kind="answer"
              onClick={() => onAnswer(option)}
            >
              {toLabel(option, 300)}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}
