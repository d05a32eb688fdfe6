import { isTextField } from '../lib/actions';

/**
 * refuseDrops keeps what is dragged over the window from being opened by the
 * browser, in a window that is none of ours: an address a page holds out, or a
 * file. Text still goes where one writes, and what a view takes itself it takes. Where
 * somebody takes files, a single one is handed on.
 */
export function refuseDrops(take: ((file: File) => void) | null = null): () => void {
  const look = (e: DragEvent) => {
    const files = e.dataTransfer?.types.includes('Files') === true;
    if (e.defaultPrevented || (!files && isTextField(e.composedPath()[0]))) return;
    e.preventDefault();
    const data = e.dataTransfer;
    if (data === null) return;
    data.dropEffect = files && take !== null ? 'copy' : 'none';
    const [file, ...others] = e.type === 'drop' ? [...data.files] : [];
    if (file !== undefined && others.length === 0) take?.(file);
  };
  window.addEventListener('dragover', look);
  window.addEventListener('drop', look);
  return () => {
    window.removeEventListener('dragover', look);
    window.removeEventListener('drop', look);
  };
}
