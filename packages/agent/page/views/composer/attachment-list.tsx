/**
 * @fileoverview Files of the message that the user writes, with a preview of images.
 * @module agent/page-app/views/composer/attachment-list
 */
import { Note } from "@tenon/ui/components/controls/badge.js";
import { IconButton } from "@tenon/ui/components/controls/button.js";
import { toMedia } from "@tenon/ui/content/media.js";
import { Icon } from "@tenon/ui/icons/icon.js";
import { formatBytes } from "@tenon/ui/support/format.js";
import { useMemo } from "preact/hooks";
import type { Attachment } from "../../state/attachments.js";
import { toLabel } from "../../state/text.js";
import type { Attachments } from "./use-attachments.js";

/** Files, and the reasons why others were not added. */
export function AttachmentList({ attachments }: { readonly attachments: Attachments }) {
  const { list, problems, remove } = attachments;
  return (
    <>
      {list.length > 0 && (
        <ul class="a-attachments" aria-label="Attached files">
          {list.map((one) => (
            <AttachmentChip key={one.id} attachment={one} onRemove={() => remove(one.id)} />
          ))}
        </ul>
      )}
      {problems.length > 0 && (
        <Note tone="danger" isLive>
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </Note>
      )}
    </>
  );
}

interface AttachmentChipProps {
  readonly attachment: Attachment;
  readonly onRemove: () => void;
}

function AttachmentChip({ attachment, onRemove }: AttachmentChipProps) {
  const { name, bytes, file } = attachment;
  const media = useMemo(() => toMedia(file.data, file.mediaType), [file]);
  const label = toLabel(name);
  return (
    <li class="a-chip">
      {media.ok && media.kind === "image" ? (
        <img class="a-chip__image" src={media.url} alt="" />
      ) : (
        <span class="a-chip__icon">
          <Icon name={media.ok ? "audio" : "file"} />
        </span>
      )}
      <span class="a-chip__text">
        <span class="a-chip__name" title={label}>
          {label}
        </span>
        <span class="a-chip__size">{formatBytes(bytes)}</span>
      </span>
      <IconButton icon="close" label={`Remove ${label}`} onClick={onRemove} />
    </li>
  );
}
