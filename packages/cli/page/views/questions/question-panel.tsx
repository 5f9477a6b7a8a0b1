/**
 * @fileoverview Panel at the bottom of every area that shows an open question. It is not modal: the user can continue.
 * @module cli/page-app/views/questions/question-panel
 */
import { Button } from "@tenon/ui/components/controls/button.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { formatQuantity } from "@tenon/ui/support/format.js";
import { useRef, useState } from "preact/hooks";
import type { Question } from "../../../src/page/protocol.js";
import { useApp } from "../../app-context.js";
import { useShortcut } from "../../components/hooks.js";
import { readText, toLabel } from "../../state/text.js";
import { QuestionCard } from "./question-card.js";

/** Panel with the oldest open question. */
export function QuestionPanel() {
  const { store, router } = useApp();
  const panel = useRef<HTMLElement>(null);
  const [hiddenId, setHiddenId] = useState<string>();
  const questions = store.questions.value;
  const [first] = questions.values();
  useShortcut({
    keys: "s q",
    title: "Show the question of the server",
    run: () => {
      setHiddenId(undefined);
      // The panel is rendered before the next frame.
      requestAnimationFrame(() => focusFirst(panel.current));
    },
  });
  const isInArea = router.route.value.area === "questions";
  const isHidden = first !== undefined && hiddenId === first.id;
  return (
    <>
      <div class="t-hidden" role="status">
        {first === undefined ? "" : `The server asks a question: ${summaryOf(first)}`}
      </div>
      {first !== undefined && !isInArea && (
        <aside class="p-panel" aria-label="Question of the server" ref={panel}>
          <div class="p-panel__bar">
            <Icon name="question" />
            <h2>{formatQuantity(questions.size, "open question")}</h2>
            {isHidden && <span class="p-panel__summary">{summaryOf(first)}</span>}
            <span class="p-panel__buttons">
              {questions.size > 1 && (
                <Button tone="quiet" onClick={() => router.go({ area: "questions" })}>
                  Show all
                </Button>
              )}
              <Button
                tone={isHidden ? "primary" : "quiet"}
                icon={isHidden ? "chevron-up" : "chevron-down"}
                onClick={() => setHiddenId(isHidden ? undefined : first.id)}
              >
                {isHidden ? "Answer" : "Later"}
              </Button>
            </span>
          </div>
          {!isHidden && (
            <div class="p-panel__body">
              <QuestionCard key={first.id} question={first} />
            </div>
          )}
        </aside>
      )}
    </>
  );
}

function focusFirst(panel: HTMLElement | null): void {
  panel?.querySelector<HTMLElement>(".p-panel__body :is(input, textarea, select, button)")?.focus();
}

function summaryOf({ method, params }: Question): string {
  if (method === "elicitation/create") return toLabel(readText(params, "message") ?? "", 120);
  return method === "roots/list" ? "List your roots" : "Write the response of a model";
}
