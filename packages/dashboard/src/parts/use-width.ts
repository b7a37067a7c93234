import { useEffect, useRef, useState } from "react";

/** The width of an element, as it changes. */
export function useWidth<Shape extends HTMLElement = HTMLElement>() {
  const ref = useRef<Shape>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}
