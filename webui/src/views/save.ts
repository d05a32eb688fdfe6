import type { Desktop } from '../contract/desktop';

interface Writable {
  write: (data: Blob) => Promise<void>;
  close: () => Promise<void>;
}

interface Picker {
  showSaveFilePicker?: (o: { suggestedName: string }) => Promise<{ createWritable: () => Promise<Writable> }>;
}

/**
 * saveAs saves bytes into a file that the person chooses; they are never shown.
 * In Proofmark's own window nothing is downloaded, so that the person is asked
 * for a place first; where a browser cannot ask, it downloads. Gives false when
 * the person changed their mind.
 */
export async function saveAs(
  what: Blob | (() => Promise<Blob>),
  name: string,
  desktop: Pick<Desktop, 'save'> | null = null,
): Promise<boolean> {
  const make = typeof what === 'function' ? what : () => Promise.resolve(what);
  // The app asks for a place itself.
  if (desktop !== null) return desktop.save(name, await (await make()).arrayBuffer());
  const { showSaveFilePicker } = window as Picker;
  if (showSaveFilePicker !== undefined) {
    try {
      // Asked before anything is fetched: a browser only asks right after a press.
      const file = await showSaveFilePicker.call(window, { suggestedName: name });
      const out = await file.createWritable();
      await out.write(await make());
      await out.close();
      return true;
    } catch (e) {
      if (e instanceof DOMException && e.name === 'AbortError') return false;
      if (!(e instanceof DOMException && (e.name === 'SecurityError' || e.name === 'NotAllowedError'))) throw e;
    }
  }
  const url = URL.createObjectURL(new Blob([await make()], { type: 'application/octet-stream' }));
  const a = document.createElement('a');
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return true;
}
