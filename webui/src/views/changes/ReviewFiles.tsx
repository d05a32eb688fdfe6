import { useRef } from 'preact/hooks';
import { refusalOf } from '../../api/refusal';
import { refusalText, t } from '../../i18n';
import { session } from '../../state/app';
import { Menu } from '../../ui/menu';
import { useApp } from '../context';
import { saveAs } from '../save';

/** Largest review the API takes as a text. */
const MOST = 15 << 20;

/** A review is saved to be sent on, or one that came is taken in. */
export function ReviewFiles() {
  const { api, documents, notes, status, features, desktop } = useApp();
  const input = useRef<HTMLInputElement>(null);
  const fail = (e: unknown) => {
    const r = refusalOf(e);
    status.say([refusalText(r), r.hint].filter(Boolean).join(' '), 'bad');
  };
  const save = async (form: 'html' | 'json') => {
    const id = documents.id.value;
    if (id === null) return;
    try {
      const name = (documents.current.value?.name ?? 'page').replace(/\.[^.]*$/, '');
      const make = () => api.exportReview(id, { session, form });
      if (!(await saveAs(make, `${name}.review.${form}`, desktop))) return;
      status.say(t('review.saved'), 'good');
    } catch (e) {
      fail(e);
    }
  };
  const take = async (file: File) => {
    const id = documents.id.value;
    if (id === null) return;
    if (file.size > MOST) {
      status.say(t('review.toolarge'), 'bad');
      return;
    }
    try {
      const done = await api.importReview(id, session, await file.text());
      status.say(t('review.imported', { n: done.annotations?.length ?? 0 }), 'good');
      await notes.load();
    } catch (e) {
      fail(e);
    }
  };
  return (
    <>
      <Menu
        align="end"
        label={t('review.export')}
        button={{ icon: 'more', small: true, kind: 'quiet', label: t('review.export') }}
        items={[
          { id: 'html', label: t('review.export.html'), group: t('review.export'), run: () => void save('html') },
          { id: 'json', label: t('review.export.json'), run: () => void save('json') },
          {
            id: 'import',
            label: t('review.import'),
            rule: true,
            disabled: features.annotations.value !== null,
            run: () => input.current?.click(),
          },
        ]}
      />
      <input
        ref={input}
        type="file"
        hidden
        tabIndex={-1}
        aria-label={t('review.import')}
        accept=".html,.htm,.json"
        onChange={(e) => {
          const file = e.currentTarget.files?.[0];
          e.currentTarget.value = '';
          if (file !== undefined) void take(file);
        }}
      />
    </>
  );
}
