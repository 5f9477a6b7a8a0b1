/**
 * @fileoverview Request for the roots: folders that the server may use.
 * @module cli/page-app/views/questions/roots-question
 */
import type { Signal } from "@preact/signals";
import { Button, IconButton } from "@tenon/ui/components/controls/button.js";
import { TextField } from "@tenon/ui/components/fields/text-field.js";
import type { RootDraft } from "../../state/forms/question-drafts.js";
import { AnswerForm, type AnswerProps } from "./answer-form.js";

/** List of URIs to edit. The page remembers it for the next request. */
export function RootsQuestion({
  roots,
  ...props
}: AnswerProps & { readonly roots: Signal<readonly RootDraft[]> }) {
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
