import { useEffect, useMemo } from 'preact/hooks';

/** An address of bytes, for as long as what shows them is there. */
export function useUrl(blob: Blob): string {
  const url = useMemo(() => URL.createObjectURL(blob), [blob]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return url;
}
