import { useEffect, useState } from 'preact/hooks';
import { t } from '../../i18n';
import { useApp } from '../context';
import { Slot } from './Slot';

/**
 * The frame of the page. The workbench inserts it and never navigates it: the
 * gateway's browser loads the document into it. In a plain browser there is a
 * picture in its place, and in the desktop app room for the app's own view.
 */
export function Frame() {
  const { preview, host } = useApp();
  const shown = preview.preview.value;
  const phase = preview.phase.value;
  const id = shown?.id ?? '';
  const url = shown?.frameUrl;

  useEffect(() => {
    if (url !== undefined && phase === 'framed') void preview.framed();
  }, [id, url]);

  if (!host.inWindow) return <Still />;
  if (host.kind === 'desktop') return <Slot />;
  if (url === undefined) return null;
  return (
    <iframe
      key={id}
      class="frame"
      src={url}
      aria-label={t('page.frame')}
      sandbox="allow-scripts allow-same-origin allow-forms"
      referrerpolicy="no-referrer"
      style={preview.frameStyle.value}
    />
  );
}

function Still() {
  const { preview, host } = useApp();
  const blob = preview.still.value;
  const [url, setUrl] = useState('');
  useEffect(() => {
    if (blob === null) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  if (url === '') return null;
  return (
    <img
      class="frame"
      src={url}
      alt={t(host.kind === 'desktop' ? 'page.still.app' : 'page.still')}
      style={preview.frameStyle.value}
      onLoad={(e) => {
        const { naturalWidth, naturalHeight } = e.currentTarget;
        preview.stillHeight.value = Math.round((naturalHeight * preview.size.peek().width) / naturalWidth);
      }}
    />
  );
}
