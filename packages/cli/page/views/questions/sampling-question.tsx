/**
 * @fileoverview Sampling request: the user writes the response of the model.
 * @module cli/page-app/views/questions/sampling-question
 */
import type { Signal } from "@preact/signals";
import { Button } from "@tenon/ui/components/controls/button.js";
import { CodeBlock } from "@tenon/ui/components/data/code-block.js";
import { TextField } from "@tenon/ui/components/fields/text-field.js";
import { JsonView } from "@tenon/ui/json/json-view.js";
import { readText } from "../../state/text.js";
import { PromptMessages } from "../call/prompt-messages.js";
import type { AnswerProps } from "./answer-props.js";

/** Properties of `SamplingQuestion`. */
export interface SamplingQuestionProps extends AnswerProps {
  readonly text: Signal<string>;
  readonly model: Signal<string>;
}

/** Messages and parameters of the request, and a field for the response. */
export function SamplingQuestion({ question, text, model, isSending, onAnswer }: SamplingQuestionProps) {
  const { messages, systemPrompt: _, ...parameters } = question.params;
  const system = readText(question.params, "systemPrompt");
  const respond = () =>
    onAnswer({
      role: "assistant",
      model: model.peek(),
      stopReason: "endTurn",
      content: { type: "text", text: text.peek() },
    });
  return (
    <form
      class="p-question__form"
      aria-label="Response of the model"
      onSubmit={(event) => {
        event.preventDefault();
        respond();
      }}
    >
      {system !== undefined && <CodeBlock text={system} label="System prompt" language="system" isWrapped />}
      <PromptMessages result={{ messages }} />
      {Object.keys(parameters).length > 0 && (
        <details class="p-details">
          <summary>Parameters</summary>
          <JsonView label="Parameters" value={parameters} />
        </details>
      )}
      <TextField
        label="Response"
        description="Write what a model would respond."
        isMultiline
        value={text.value}
        onInput={(next) => {
          text.value = next;
        }}
      />
      <TextField
        label="Name of the model"
        value={model.value}
        onInput={(next) => {
          model.value = next;
        }}
      />
      <div class="p-call__buttons">
        <Button tone="primary" icon="check" type="submit" isBusy={isSending}>
          Send the response
        </Button>
        <Button onClick={() => onAnswer({ action: "decline" })}>Reject the request</Button>
      </div>
    </form>
  );
}
