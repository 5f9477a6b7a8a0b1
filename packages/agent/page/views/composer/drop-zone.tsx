/**
 * @fileoverview Area that accepts files from other windows.
 * @module agent/page-app/views/composer/drop-zone
 */
import { Icon } from "@tenon/ui/icons/icon.js";
import type { ComponentChildren, TargetedDragEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ChosenFile } from "../../state/attachments.js";

/** Properties of `DropZone`. */
export interface DropZoneProps {
  readonly isEnabled: boolean;
  readonly onFiles: (files: readonly ChosenFile[]) => void;
  readonly children: ComponentChildren;
}

/** Accepts files that the user drops. */
export function DropZone({ isEnabled, onFiles, children }: DropZoneProps) {
  const [isOver, setIsOver] = useState(false);
  // Entering an element inside the area leaves another one.
  const depth = useRef(0);
  const accepts = (event: TargetedDragEvent<HTMLDivElement>) =>
    isEnabled && event.dataTransfer?.types.includes("Files") === true;
  const leave = () => {
    depth.current = 0;
    setIsOver(false);
  };
  return (
    <div
      class="a-drop"
      onDragEnter={(event) => {
        if (!accepts(event)) return;
        event.preventDefault();
        depth.current++;
        setIsOver(true);
      }}
      onDragOver={(event) => {
        if (accepts(event)) event.preventDefault();
      }}
      onDragLeave={() => {
        depth.current--;
        if (depth.current <= 0) leave();
      }}
      onDrop={(event) => {
        if (!accepts(event)) return;
        event.preventDefault();
        leave();
        onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {children}
      {isOver && (
        <div class="a-drop__hint">
          <Icon name="upload" /> Drop files to attach them
        </div>
      )}
    </div>
  );
}
