/**
 * @fileoverview Two panes with a divider that the user can move.
 * @module ui/components/layout/split-pane
 */
import type { ComponentChildren, TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { clampSize, resizeByKey, type SplitLimits } from "./split-size.js";

/** Properties of `SplitPane`. */
export interface SplitPaneProps {
  /** Name of the divider for screen readers, such as "Resize the list". */
  readonly label: string;
  readonly first: ComponentChildren;
  readonly second: ComponentChildren;
  /** Width of the first pane in pixels. */
  readonly size: number;
  readonly onResize: (size: number) => void;
  /** Size after a double click on the divider. @default 320 */
  readonly initialSize?: number | undefined;
  /** Pane that is shown on narrow screens. `both` shows the panes below each other. @default "both" */
  readonly narrow?: "first" | "second" | "both" | undefined;
}

/** Smallest width of the first pane. */
const MIN_FIRST = 180;
/** Space that is left for the second pane. */
const MIN_SECOND = 240;

/** Two panes next to each other. Keys and the pointer move the divider. */
export function SplitPane({ size, onResize, initialSize = 320, ...props }: SplitPaneProps) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [isDragged, setIsDragged] = useState(false);
  const limits = (): SplitLimits => ({
    min: MIN_FIRST,
    max: Math.max(MIN_FIRST, (box.current?.clientWidth ?? Number.POSITIVE_INFINITY) - MIN_SECOND),
  });
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const next = resizeByKey(event.key, size, limits());
    if (next === undefined) return;
    event.preventDefault();
    onResize(next);
  };
  const onPointerDown = (event: TargetedPointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    setIsDragged(true);
  };
  const onPointerMove = (event: TargetedPointerEvent<HTMLDivElement>) => {
    if (!isDragged || box.current === null) return;
    onResize(clampSize(event.clientX - box.current.getBoundingClientRect().left, limits()));
  };
  const { min, max } = limits();
  return (
    <div
      ref={box}
      class="t-split"
      data-narrow={props.narrow ?? "both"}
      data-dragged={isDragged}
      style={{ "--t-split": `${clampSize(size, { min, max })}px` }}
    >
      <div class="t-split__pane" data-pane="first" id={id}>
        {props.first}
      </div>
      <div
        class="t-split__divider"
        role="separator"
        aria-orientation="vertical"
        aria-label={props.label}
        aria-controls={id}
        aria-valuenow={clampSize(size, { min, max })}
        aria-valuemin={min}
        aria-valuemax={Number.isFinite(max) ? max : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onLostPointerCapture={() => setIsDragged(false)}
        onDblClick={() => onResize(initialSize)}
      />
      <div class="t-split__pane" data-pane="second">
        {props.second}
      </div>
    </div>
  );
}
