/**
 * @fileoverview Forms that answer the questions of a server: elicitation, sampling, and roots.
 * @module cli/page-app/views/questions/answer-form
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { stripControls } from "@tenon/internal/text";
import { Button, IconButton } from "@tenon/ui/components/controls/button.js";
import { insteadOfDefault, setterOf } from "@tenon/ui/support/events.js";
import type { ComponentChildren } from "preact";
import type { Question } from "../../../src/page/protocol.js";
import { readText, toLabel } from "../../state/text.js";
import { Note } from "@tenon/ui/components/controls/badge.js";
import type { FormStore } from "@tenon/ui/form/form-store.js";
import { SchemaForm } from "@tenon/ui/form/schema-form.js";
import { safeUrl } from "@tenon/ui/support/safe-url.js";
import { UntrustedLink } from "../../components/links.js";
import { checkAnswer } from "../../state/forms/check-answer.js";
import type { Signal } from "@preact/signals";
import { TextField } from "@tenon/ui/components/fields/text-field.js";
import type { RootDraft } from "../../state/forms/question-drafts.js";
import { CodeBlock } from "@tenon/ui/components/data/code-block.js";
import { JsonDetails } from "../../components/list-pane.js";
import { PromptMessages } from "../call/outcome.js";

/** Properties of the controls of a question. */
export interface AnswerProps {
  readonly question: Question;
  /** True while an answer is sent. */
  readonly isSending: boolean;
  readonly onAnswer: (answer: JsonObject) => void;
}

/** Properties of `AnswerForm`. */
export interface AnswerFormProps extends AnswerProps {
  readonly label: string;
  readonly onSubmit: () => void;
  /** Label of the button that sends the answer. @default "Accept" */
  readonly submitLabel?: string | undefined;
  /** Button before the one that sends the answer. */
  readonly firstButton?: ComponentChildren;
  readonly children: ComponentChildren;
}

const MAX_TEXT = 10_000;

/** Text and controls of a question, with buttons to send the answer or to reject the question. */
export function AnswerForm({ question, isSending, onAnswer, label, onSubmit, ...props }: AnswerFormProps) {
  const isElicitation = question.method === "elicitation/create";
  const text = readText(question.params, "message") ?? "";
  return (
    <form class="p-question__form" aria-label={label} onSubmit={insteadOfDefault(onSubmit)}>
      {/* Plain text, because a server must not imitate the page. */}
      {isElicitation && <p class="p-question__text">{stripControls(text.slice(0, MAX_TEXT))}</p>}
      {props.children}
      <div class="p-call__buttons">
        {props.firstButton}
        <Button tone="primary" icon="check" type="submit" isBusy={isSending}>
          {props.submitLabel ?? "Accept"}
        </Button>
        <Button onClick={() => onAnswer({ action: "decline" })}>
          {isElicitation ? "Decline" : "Reject the request"}
        </Button>
        {isElicitation && (
          <Button tone="quiet" onClick={() => onAnswer({ action: "cancel" })}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  );
}

/** Question with a form. */
export function FormQuestion({ form, ...props }: AnswerProps & { readonly form: FormStore }) {
  const accept = () => {
    if (form.isIncomplete.peek()) return;
    const value = form.value.peek();
    const problems = checkAnswer(props.question.params["requestedSchema"], value);
    form.setProblems(problems);
    if (problems.length === 0 && isJsonObject(value)) props.onAnswer({ action: "accept", content: value });
  };
  return (
    <AnswerForm {...props} label="Answer" onSubmit={accept}>
      <SchemaForm store={form} label="Answer" />
    </AnswerForm>
  );
}

/** URL as text, and a link that opens it. Nothing is opened without a click. */
export function UrlQuestion({ url, ...props }: AnswerProps & { readonly url: string }) {
  const safe = safeUrl(url);
  return (
    <AnswerForm {...props} label="Answer" onSubmit={() => props.onAnswer({ action: "accept" })}>
      <p>The server wants you to open this URL. Check that you trust the site before you open it.</p>
      <p>
        <code class="p-wrap">{toLabel(url, 2_000)}</code>
      </p>
      {safe === undefined ? (
        <Note tone="danger">The page does not open this URL, because it is not a web address.</Note>
      ) : (
        <p>
          <UntrustedLink url={safe}>Open {new URL(safe).host}</UntrustedLink>
        </p>
      )}
    </AnswerForm>
  );
}

/** List of URIs to edit. The page remembers it for the next request. */
export function RootsQuestion({ roots, ...props }: AnswerProps & Pick<RootRowProps, "roots">) {
  const send = () => {
    const listed = roots.peek().filter(({ uri }) => uri.trim() !== "");
    props.onAnswer({ roots: listed.map(({ uri, name }) => (name === "" ? { uri } : { uri, name })) });
  };
  const add = (
    <Button
      icon="plus"
      onClick={() => {
        roots.value = [...roots.value, { uri: "", name: "" }];
      }}
    >
      Add a root
    </Button>
  );
  return (
    <AnswerForm {...props} label="Roots" submitLabel="Send the list" firstButton={add} onSubmit={send}>
      <p>Roots are folders that the server may use. An empty list is valid.</p>
      {roots.value.map((_, index) => (
        <RootRow key={index} roots={roots} index={index} />
      ))}
    </AnswerForm>
  );
}

interface RootRowProps {
  readonly roots: Signal<readonly RootDraft[]>;
  readonly index: number;
}

function RootRow({ roots, index }: RootRowProps) {
  const { uri, name } = roots.value[index] ?? { uri: "", name: "" };
  const isUsual = uri === "" || uri.startsWith("file://");
  const change = (part: Partial<RootDraft>) => {
    roots.value = roots.value.map((root, at) => (at === index ? { ...root, ...part } : root));
  };
  return (
    <div class="p-root-row">
      <TextField
        label={`URI of root ${index + 1}`}
        placeholder="file:///path/to/folder"
        isMono
        value={uri}
        error={isUsual ? undefined : "The specification allows only file:// URIs."}
        onInput={(next) => change({ uri: next })}
      />
      <TextField
        label={`Name of root ${index + 1}`}
        value={name}
        onInput={(next) => change({ name: next })}
      />
      <IconButton
        icon="trash"
        label={`Remove root ${index + 1}`}
        onClick={() => {
          roots.value = roots.value.filter((_, at) => at !== index);
        }}
      />
    </div>
  );
}

/** Properties of `SamplingQuestion`. */
interface SamplingQuestionProps extends AnswerProps {
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
