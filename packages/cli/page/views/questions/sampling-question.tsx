/**
 * @fileoverview Sampling request: the user writes the response of the model.
 * @module cli/page-app/views/questions/sampling-question
 */
import type { Signal } from "@preact/signals";
import { CodeBlock } from "@tenon/ui/components/data/code-block.js";
import { TextField } from "@tenon/ui/components/fields/text-field.js";
import { setterOf } from "@tenon/ui/support/events.js";
import { JsonDetails } from "../../components/json-details.js";
import { readText } from "../../state/text.js";
import { PromptMessages } from "../call/prompt-messages.js";
import { AnswerForm, type AnswerProps } from "./answer-form.js";

/** Properties of `SamplingQuestion`. */
export interface SamplingQuestionProps extends AnswerProps {
  readonly text: Signal<string>;
  readonly model: Signal<string>;
}

/** Messages and parameters of the request, and a field for the response. */
export function SamplingQuestion({ text, model, ...props }: SamplingQuestionProps) {
  const { params } = props.question;
  const { messages, systemPrompt: _, ...parameters } = params;
  const system = readText(params, "systemPrompt");
  const respond = () =>
    props.onAnswer({
      role: "assistant",
      model: model.peek(),
      stopReason: "endTurn",
      content: { type: "text", text: text.peek() },
    });
  return (
    <AnswerForm {...props} label="Response of the model" submitLabel="Send the response" onSubmit={respond}>
      {system !== undefined && <CodeBlock text={system} label="System prompt" language="system" isWrapped />}
      <PromptMessages result={{ messages }} />
      {Object.keys(parameters).length > 0 && (
        <JsonDetails title="Parameters" label="Parameters" value={parameters} />
      )}
      <TextField
        label="Response"
        description="Write what a model would respond."
        isMultiline
        value={text.value}
        onInput={setterOf(text)}
      />
      <TextField label="Name of the model" value={model.value} onInput={setterOf(model)} />
    </AnswerForm>
  );
}
