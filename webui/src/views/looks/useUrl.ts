import { useLayoutEffect, useMemo } from 'preact/hooks';

/** An address of bytes, for as long as what shows them is there. */
export function useUrl(blob: Blob): string {
  const url = useMemo(() => URL.createObjectURL(blob), [blob]);
  // Not after the next frame: what is gone before that is to leave nothing behind, too.
  useLayoutEffect(() => () => URL.revokeObjectURL(url), [url]);
  return url;
}
