/**
 * @fileoverview Keeps the end of a conversation visible while it grows, unless the user has scrolled up.
 * @module agent/page-app/views/conversation/use-follow
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Distance to the end, in pixels, at which the list still follows. */
const NEAR = 48;

/** Follows the end. `change` is a value that changes with the content. */
export function useFollow(change: unknown) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const lastTop = useRef(0);
  const [isAway, setIsAway] = useState(false);
  const toEnd = () => {
    const element = scroller.current;
    if (element === null) return;
    isFollowing.current = true;
    element.scrollTop = element.scrollHeight;
    lastTop.current = element.scrollTop;
    setIsAway(false);
  };
  useLayoutEffect(() => {
    if (isFollowing.current) toEnd();
  }, [change]);
  useLayoutEffect(() => {
    // Images and text that streams change the height later.
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) toEnd();
    });
    if (content.current !== null) observer.observe(content.current);
    if (scroller.current !== null) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, []);
  const onScroll = () => {
    const element = scroller.current;
    if (element === null) return;
    const rest = element.scrollHeight - element.clientHeight - element.scrollTop;
    // Only the user scrolls up. Content that grows moves the end away without a smaller position.
    if (element.scrollTop < lastTop.current - 1 && rest > 1) isFollowing.current = false;
    else if (rest <= NEAR) isFollowing.current = true;
    lastTop.current = element.scrollTop;
    setIsAway(rest > NEAR && !isFollowing.current);
  };
  return { scroller, content, isAway, onScroll, toEnd };
}
