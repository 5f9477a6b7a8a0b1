/**
 * @fileoverview File of a message: an image or a sound with a preview, or only its name. Every file can be saved.
 * @module agent/page-app/components/file-view
 */
import type { AgentFile } from "@tenon/agent/client";
import { fromBase64 } from "@tenon/internal/base64";
import { IconButton } from "@tenon/ui/components/controls/button.js";
import { Dialog } from "@tenon/ui/components/overlay/dialog.js";
import { byteLength, normalizeType, toMedia } from "@tenon/ui/content/media.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { saveFile } from "@tenon/ui/support/browser.js";
import { formatBytes } from "@tenon/ui/support/format.js";
import { useMemo, useState } from "preact/hooks";
import { useApp } from "../app-context.js";
import { toLabel } from "../state/text.js";

/** Properties of `FileView`. */
export interface FileViewProps {
  readonly file: AgentFile;
  /** True for files of the user, which are shown small. */
  readonly isSmall?: boolean | undefined;
}

/** File with its preview, its name, and a button to save it. */
export function FileView({ file, isSmall = false }: FileViewProps) {
  const media = useMemo(() => toMedia(file.data, file.mediaType), [file]);
  const [isBroken, setIsBroken] = useState(false);
  const name = nameOf(file);
  const kind = media.ok && !isBroken ? media.kind : "file";
  return (
    <figure class="a-file" data-kind={kind} data-small={isSmall}>
      {media.ok && kind === "image" && (
        <ImagePreview url={media.url} name={name} onError={() => setIsBroken(true)} />
      )}
      {media.ok && kind === "audio" && (
        <audio controls src={media.url} aria-label={name} onError={() => setIsBroken(true)} />
      )}
      <figcaption class="a-file__caption">
        {kind === "file" && <Icon name="file" />}
        <span class="a-file__name" title={name}>
          {name}
        </span>
        <span class="a-file__size">{formatBytes(byteLength(file.data))}</span>
        <SaveButton file={file} name={name} />
      </figcaption>
    </figure>
  );
}

interface ImagePreviewProps {
  /** Data URL of a known image type. */
  readonly url: string;
  readonly name: string;
  readonly onError: () => void;
}

function ImagePreview({ url, name, onError }: ImagePreviewProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" class="a-file__preview" title="Show the image" onClick={() => setIsOpen(true)}>
        <img src={url} alt={name} onError={onError} />
      </button>
      {isOpen && (
        <Dialog title={name} isOpen onClose={() => setIsOpen(false)} class="a-lightbox">
          <img src={url} alt={name} />
        </Dialog>
      )}
    </>
  );
}

function SaveButton({ file, name }: { readonly file: AgentFile; readonly name: string }) {
  const { toasts } = useApp();
  const save = () => {
    const content = fromBase64(file.data);
    if (content === undefined) toasts.show({ tone: "danger", text: "The data of the file is not valid." });
    else saveFile({ name, content });
  };
  return <IconButton icon="download" label={`Save ${name}`} onClick={save} />;
}

/** Returns the name of a file. A file without one is named after its type. */
function nameOf({ name, mediaType }: AgentFile): string {
  if (name !== undefined && name.trim() !== "") return toLabel(name);
  const [kind = "file", type = ""] = normalizeType(mediaType).split("/");
  const extension = /^[a-z0-9]{1,8}$/.test(type) ? `.${type === "jpeg" ? "jpg" : type}` : "";
  return `${kind === "image" || kind === "audio" ? kind : "file"}${extension}`;
}
