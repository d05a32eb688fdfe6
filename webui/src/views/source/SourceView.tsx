import { useComputed, useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { language, number, refusalText, t } from '../../i18n';
import type { Choice } from '../../lib/merge3';
import type { Source } from '../../state/source';
import { Button } from '../../ui/button';
import { BarNote, Progress, State } from '../../ui/states';
import { useApp } from '../context';
import { SourceEditor, type EditorOptions } from './editor';
import { Join } from './Join';
import { SourceNotes } from './Notes';
import { phrases } from './phrases';
import './source.css';

/** The source as text, saved by hand, and in step with what is picked on the page. */
export function SourceView() {
  const { source, documents } = useApp();
  useEffect(() => void source.load(), [documents.id.value]);
  const joining = source.joining.value;
  const failure = source.failure.value;
  if (source.phase.value === 'failed' && failure !== null) {
    return (
      <State bad>
        <p>{t('source.failed')}</p>
        <p>{refusalText(failure)}</p>
        <Button onClick={() => void source.load(true)}>{t('common.retry')}</Button>
      </State>
    );
  }
  if (source.phase.value !== 'ready') {
    return (
      <State>
        <Progress>{t('source.loading')}</Progress>
      </State>
    );
  }
  return (
    <div class="source">
      {joining !== null && (
        <Join
          conflicts={joining.merge.conflicts}
          why={t('join.why', { n: joining.head.generation, m: joining.merge.conflicts.length })}
          theirs={t('join.theirs', { n: joining.head.generation })}
          mine={t('join.mine')}
          takeTheirs={t('join.take.theirs', { n: joining.head.generation })}
          takeMine={t('join.take.mine')}
          onOnly={(choices: Choice[]) => void source.resolve(choices, false)}
          onSave={(choices: Choice[]) => void source.resolve(choices, true)}
          onLeave={() => source.leaveJoining()}
        />
      )}
      {/* The editor stays while a conflict is decided: nothing typed leaves it. */}
      <div class="editing" hidden={joining !== null}>
        <Editing key={language.value} />
      </div>
    </div>
  );
}

let kept: { source: Source; key: string; editor: SourceEditor } | null = null;

/** The editor of a document outlives a look at the page: cursor, scroll, folds and undo stay. */
function editorOf(source: Source, key: string, options: () => EditorOptions): SourceEditor {
  if (kept?.source === source && kept.key === key) return kept.editor;
  kept?.editor.destroy();
  kept = { source, key, editor: new SourceEditor(options()) };
  return kept.editor;
}

/** How long the cursor rests before the page is asked for its element. */
const rest = 200;

function Editing() {
  const { source, documents, element, places, features, actions, link } = useApp();
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<SourceEditor | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [at, setAt] = useState('');
  const off = useComputed(() => features.workbench.value !== null);

  const look = (byHand: boolean) => {
    const e = editor.current;
    if (e === null) return;
    const { head: cursor, start, end } = e.selection;
    source.cursor.value = { cursor, selection: { start, end } };
    const byte = e.byte;
    const line = number(cursor.line);
    setAt(byte === null ? t('source.atline', { line }) : t('source.atone', { line, from: number(byte) }));
    clearTimeout(timer.current);
    // Only what the cursor rests on, and only where the page shows the same version.
    const head = documents.current.peek()?.head;
    if (!byHand || byte === null || head === undefined || source.baseline.peek()?.generation !== head.generation)
      return;
    timer.current = setTimeout(() => void link.fromSource(byte, head), rest);
  };

  useEffect(() => {
    if (box.current === null) return;
    const e = editorOf(source, `${documents.id.peek() ?? ''} ${language.peek()}`, () => ({
      text: source.shown.peek()?.text ?? '',
      base: source.baseline.peek()?.text ?? '',
      label: t('source.label', { name: documents.current.peek()?.name ?? '' }),
      describedBy: t('source.escape'),
      phrases: phrases(),
      readOnly: off.peek(),
    }));
    e.onChange = () => source.changed();
    e.onCursor = () => look(true);
    e.attach(box.current);
    editor.current = e;
    const detach = source.attach(() => e.text);
    const leave = () => void source.keeper.peek()?.flush();
    window.addEventListener('pagehide', leave);
    const unregister = actions.register({
      id: 'source.find',
      group: 'source',
      title: 'source.find',
      keys: ['mod+f'],
      inText: true,
      run: () => e.find(),
    });
    look(false);
    return () => {
      unregister();
      window.removeEventListener('pagehide', leave);
      clearTimeout(timer.current);
      link.leave();
      detach();
      e.detach();
      editor.current = null;
    };
  }, []);

  useEffect(
    () =>
      actions.register({
        id: 'source.save',
        group: 'source',
        title: 'source.save',
        keys: ['mod+s'],
        inText: true,
        run: () => source.commit(),
      }),
    [],
  );

  useSignalEffect(() => {
    const shown = source.shown.value;
    const e = editor.current;
    if (e !== null && shown !== null && shown.text !== e.text) e.show(shown.text);
  });
  // Apart: another version under the same text is no reason to show what was shown once.
  useSignalEffect(() => {
    const base = source.baseline.value;
    if (base !== null) editor.current?.setBase(base.text);
  });
  useSignalEffect(() => editor.current?.setReadOnly(off.value));

  // What is picked on the page is marked here, and followed where it was picked there.
  useSignalEffect(() => {
    const picked = element.picked.value;
    const span = picked?.pick.startTag ?? null;
    const here = picked !== null && picked.generation === source.baseline.value?.generation;
    editor.current?.mark(here ? span : null, here && !link.isFromSource(picked));
  });
  useSignalEffect(() => {
    const reveal = places.reveal.value;
    if (reveal === null || editor.current === null) return;
    places.reveal.value = null;
    editor.current.goTo(reveal.span);
    editor.current.mark(reveal.span, false);
    editor.current.focus();
  });

  return (
    <>
      <Toolbar at={at} ends={editor.current?.ends ?? null} />
      <SourceNotes plain={editor.current?.isPlain ?? false} off={off.value} />
      <div class="editor" ref={box} />
    </>
  );
}

function Toolbar({ at, ends }: { at: string; ends: { mixed: boolean; usual: string } | null }) {
  const { source, actions } = useApp();
  const [asking, setAsking] = useState(false);
  const unsaved = source.unsaved.value;
  const state = source.keeper.value?.state.value ?? 'kept';
  const n = source.baseline.value?.generation ?? 0;
  return (
    <>
      <div class="source-bar" role="toolbar" aria-label={t('place.source')}>
        <p role="status" class="grow">
          <span class={unsaved ? 'dot on' : 'dot'} aria-hidden="true" />
          <span>{unsaved ? t('source.unsaved') : t('source.clean', { n })}</span>
          {unsaved && (
            <span class="how">
              {t(`source.${state === 'refused' ? 'unsaved' : state === 'lost' ? 'keeping' : state}`)}
            </span>
          )}
        </p>
        <span class="at">
          {at}
          {ends?.mixed === true && ` · ${t('source.ends.mixed')}`}
          {ends?.mixed === false && ends.usual !== '\n' && ` · ${ends.usual === '\r' ? 'CR' : 'CRLF'}`}
        </span>
        {unsaved && !asking && (
          <Button small kind="quiet" onClick={() => setAsking(true)}>
            {t('source.discard')}
          </Button>
        )}
        <Button small kind="quiet" keyName={actions.keyName('source.find')} onClick={() => actions.run('source.find')}>
          {t('source.find')}
        </Button>
        <Button
          small
          kind="primary"
          keyName={actions.keyName('source.save')}
          disabled={!unsaved || source.committing.value}
          onClick={() => void source.commit()}
        >
          {source.committing.value ? t('source.saving') : t('source.save')}
        </Button>
      </div>
      {asking && unsaved && (
        <BarNote
          tone="bad"
          actions={
            <>
              <Button
                small
                kind="loss"
                onClick={() => {
                  setAsking(false);
                  void source.discard();
                }}
              >
                {t('source.discard.yes')}
              </Button>
              <Button small onClick={() => setAsking(false)}>
                {t('source.discard.no')}
              </Button>
            </>
          }
        >
          {t('source.discard.sure', { n })}
        </BarNote>
      )}
    </>
  );
}
