/**
 * @fileoverview Field for a file, whose content is read as base64.
 * @module ui/form/fields/file-view
 */
import { toBase64 } from "@tenon/internal/base64";
import { useComputed } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { Button } from "../../components/controls/button.js";
import { formatBytes } from "../../support/format.js";
import { type FieldViewProps, useField } from "../form-context.js";
import type { FileField } from "../model/field.js";
import { pathKey } from "../model/path.js";
import { FieldRow } from "./field-row.js";

/** Field for a file. */
export function FileView({ field, ...props }: FieldViewProps & { readonly field: FileField }) {
  const { store, value } = useField(props.path);
  const input = useRef<HTMLInputElement>(null);
  const [isReading, setIsReading] = useState(false);
  const file = useComputed(() => store.files.value.get(pathKey(props.path))).value;
  const read = async (chosen: File) => {
    if (chosen.size > field.maxBytes) {
      const sizes = `${formatBytes(chosen.size)} (limit: ${formatBytes(field.maxBytes)})`;
      store.setDraft(props.path, { text: chosen.name, message: `The file is too large: ${sizes}.` });
      return;
    }
    setIsReading(true);
    try {
      const content = toBase64(new Uint8Array(await chosen.arrayBuffer()));
      const type = chosen.type === "" ? "application/octet-stream" : chosen.type;
      const text = field.encoding === "data-url" ? `data:${type};base64,${content}` : content;
      store.setFile(props.path, text, { name: chosen.name, size: chosen.size });
    } catch {
      store.setDraft(props.path, { text: chosen.name, message: "The file could not be read." });
    } finally {
      setIsReading(false);
    }
  };
  return (
    <FieldRow {...props} field={field} isShownUnset>
      {({ "aria-required": isRequired, ...attributes }) => (
        <div class="t-form-field__file">
          <input
            {...attributes}
            ref={input}
            type="file"
            class="t-hidden"
            required={isRequired}
            accept={field.mediaType}
            onChange={(event) => {
              const chosen = event.currentTarget.files?.[0];
              if (chosen !== undefined) void read(chosen);
              // Choosing the same file again must report a change too.
              event.currentTarget.value = "";
            }}
          />
          <Button icon="upload" isBusy={isReading} tabIndex={-1} onClick={() => input.current?.click()}>
            Choose file
          </Button>
          <span class="t-form-field__file-name">{describeFile(value, file)}</span>
        </div>
      )}
    </FieldRow>
  );
}

function describeFile(
  value: unknown,
  file: { readonly name: string; readonly size: number } | undefined,
): string {
  if (typeof value !== "string" || value === "") return "No file";
  return file === undefined
    ? `${value.length.toLocaleString("en-US")} characters`
    : `${file.name} (${formatBytes(file.size)})`;
}
