/**
 * @fileoverview Images, sounds, and other bytes.
 * @module ui/content/media-content
 */
import { fromBase64 } from "@tenon/internal/base64";
import { useMemo, useState } from "preact/hooks";
import { Note } from "../components/controls/badge.js";
import { Button } from "../components/controls/button.js";
import { saveFile } from "../support/browser.js";
import { formatBytes } from "../support/format.js";
import { byteLength, type Media, normalizeType, toMedia } from "./media.js";

/** Properties of `MediaContent`. */
export interface MediaContentProps {
  /** Base64 content, not checked yet. */
  readonly data: unknown;
  readonly mediaType: unknown;
  /** Name of the file to save. @default "content" */
  readonly name?: string | undefined;
}

/** Shows an image or a sound, or the reason why it is not shown. */
export function MediaContent({ data, mediaType, name = "content" }: MediaContentProps) {
  const media = useMemo(() => toMedia(data, mediaType), [data, mediaType]);
  /** Media that the browser could not decode. Other content in the same place is tried again. */
  const [broken, setBroken] = useState<Media>();
  const isBroken = broken === media;
  const onError = () => setBroken(media);
  const type = typeof mediaType === "string" ? normalizeType(mediaType).slice(0, 60) : "unknown type";
  return (
    <figure class="t-content__media">
      {!media.ok && <Note tone="warning">{media.reason}</Note>}
      {media.ok && isBroken && <Note tone="danger">The browser could not decode the content.</Note>}
      {media.ok && !isBroken && media.kind === "image" && (
        <img src={media.url} alt={`Image from the server (${type})`} onError={onError} />
      )}
      {media.ok && !isBroken && media.kind === "audio" && (
        <audio controls src={media.url} aria-label={`Sound from the server (${type})`} onError={onError} />
      )}
      <figcaption class="t-content__caption">
        <span>
          {type}
          {typeof data === "string" && `, ${formatBytes(byteLength(data))}`}
        </span>
        {typeof data === "string" && data !== "" && <SaveButton data={data} name={name} />}
      </figcaption>
    </figure>
  );
}

function SaveButton({ data, name }: { readonly data: string; readonly name: string }) {
  const [invalid, setInvalid] = useState<string>();
  const save = () => {
    const content = fromBase64(data);
    setInvalid(content === undefined ? data : undefined);
    if (content !== undefined) saveFile({ name, content });
  };
  return (
    <>
      <Button icon="download" tone="quiet" onClick={save}>
        Save file
      </Button>
      {invalid === data && <span role="alert">The data is not valid base64.</span>}
    </>
  );
}
